"""Exponents that are fitted, and what would have been seen of a weight that changed."""

import numpy as np
import pytest
import torch

from corollary.core import loglog_fit
from corollary.theory.generalization.weight_spectra.power_law import power_law
from corollary.theory.generalization.weight_spectra.random_start import random_start
from corollary.theory.generalization.weight_spectra.spikes import spikes


@pytest.mark.parametrize("level", [0.95, 0.99])
@pytest.mark.parametrize("n", [4, 8])
def test_the_slope_of_a_power_law(draws, covers, n, level):
    sizes = 2.0 ** np.arange(n)
    noise = np.random.default_rng(n).lognormal(0.0, 0.1, (draws, n))
    fits = (loglog_fit(sizes, row / sizes, level=level) for row in noise)
    covers(f"slope through {n} points", level, (fit.low <= -1 <= fit.high for fit in fits))


@pytest.mark.parametrize("m", [10, 100])
def test_the_exponent_of_a_tail_with_a_known_start(draws, covers, m):
    rows = np.random.default_rng(m).random((draws, m)) ** -0.5  # survival x^-2, so alpha is 3
    ends = (power_law(torch.tensor(row), start=1.0).interval() for row in rows)
    name = f"exponent of a tail of {m}"
    covers(name, 0.95, (low <= 3 <= high for low, high in ends))


@pytest.mark.parametrize("law", ["uniform", "normal"])
def test_a_change_of_a_weight_that_would_have_been_seen(draws, covers, law):
    rng = torch.Generator().manual_seed(0)
    shape, std = (20, 30), 30**-0.5 / (3**0.5 if law == "uniform" else 1)

    def start():
        if law == "normal":
            return std * torch.randn(shape, generator=rng, dtype=torch.float64)
        return std * 3**0.5 * (2 * torch.rand(shape, generator=rng, dtype=torch.float64) - 1)

    change = None
    while change is None:
        found = random_start(start(), fans=(30, 20))
        change = found.change if found is not None and found.law == law else None
    moved = (
        start() + change * std * torch.randn(shape, generator=rng, dtype=torch.float64)
        for _ in range(draws)
    )
    seen = (random_start(w, fans=(30, 20)) is None for w in moved)
    covers(f"change of a {law} weight is seen", 0.95, seen)


@pytest.mark.parametrize(("p", "n"), [(20, 20), (50, 100)])
def test_noise_has_no_spike(draws, covers, p, n):
    rng = torch.Generator().manual_seed(p)
    W = torch.randn(draws, p, n, generator=rng, dtype=torch.float64)
    found = (spikes(values, n) for values in torch.linalg.eigvalsh(W @ W.mT))
    covers(f"noise {p} x {n} has no spike", 0.99, (f.count == 0 for f in found))
