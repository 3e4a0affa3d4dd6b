import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.errors import InputError
from corollary.theory.generalization.weight_spectra.layers import (
    eigenvalues,
    log_norms,
    stable_rank,
)
from corollary.theory.generalization.weight_spectra.power_law import (
    best_start,
    exponents,
    power_law,
)

# weightwatcher 0.7.7 on nn.Linear(130, 90) with the matrices below, analyze(min_evals=10): alpha,
# sigma, xmin, num_pl_spikes, D, stable_rank, log_norm, log_spectral_norm, log_alpha_norm,
# alpha_weighted. It works in single precision.
WEIGHTWATCHER = {
    "normal": (
        *(8.88707036, 2.62902345, 317.38354, 9, 0.15181935),
        *(27.4249039, 4.07155922, 2.6334141, 23.8789048, 23.4033364),
    ),
    "spiked": (
        *(5.1386442, 1.19472367, 294.755874, 12, 0.08296668),
        *(13.5793085, 4.09794012, 2.96506246, 15.2778344, 15.236401),
    ),
    "heavy": (
        *(2.47675455, 0.29535091, 3110.80138, 25, 0.05231236),
        *(4.23598181, 5.4549778, 4.82802371, 12.0142145, 11.9578297),
    ),
}


def matrix(kind):
    """Numbers that look random and are the same everywhere."""
    i = torch.arange(90, dtype=torch.float64)[:, None]
    j = torch.arange(130, dtype=torch.float64)[None]
    u = ((i * 12.9898 + j * 78.233).sin() * 43758.5453) % 1
    v = ((i * 39.3467 + j * 11.135).sin() * 24634.6345) % 1
    g = (-2 * (1 - u).log()).sqrt() * (2 * torch.pi * v).cos()
    if kind == "spiked":
        g = g + (i * 0.7).cos() @ (j * 0.3).sin() * 0.5
        g[3, 5] += 2
    return g / (1 - u).clamp(min=1e-6).pow(0.45) if kind == "heavy" else g


@pytest.mark.parametrize("kind", WEIGHTWATCHER)
def test_exponents_and_norms_are_those_of_weightwatcher(kind):
    values = eigenvalues(matrix(kind))
    fit = power_law(values)
    norms = log_norms(values, fit.alpha)
    found = (
        fit.alpha,
        fit.error,
        fit.start,
        fit.tail,
        fit.distance,
        stable_rank(values),
        norms.frobenius,
        norms.spectral,
        norms.alpha,
        norms.weighted_alpha,
    )
    assert found == pytest.approx(WEIGHTWATCHER[kind], rel=1e-6)


def test_the_exponent_by_hand():
    fit = power_law(torch.tensor([1.0, 2.0, 4.0], dtype=torch.float64), start=1.0)
    assert fit.alpha == pytest.approx(1 + 1 / math.log(2))  # 3 over log 1 + log 2 + log 4
    assert fit.error == pytest.approx((fit.alpha - 1) / 3**0.5)
    # F(2) = F(4)^(1/2)...: 1 - 2^(1 - alpha) = 1 - 1/e at 2 and 1 - 1/e^2 at 4, steps 1/3 and 2/3
    assert fit.distance == pytest.approx(1 - math.exp(-1) - 1 / 3)


def test_the_exponent_of_drawn_power_laws_is_within_its_error():
    rng = torch.Generator().manual_seed(0)
    off = []
    for _ in range(50):
        x = torch.rand(400, generator=rng, dtype=torch.float64) ** (-1 / 1.5)
        fit = power_law(x, start=1.0)
        off.append((fit.alpha - 2.5) / fit.error)
    off = torch.tensor(off)
    assert abs(float(off.mean())) < 0.5 and 0.7 < float(off.std()) < 1.3


def test_the_start_of_a_planted_tail_is_found():
    rng = torch.Generator().manual_seed(0)
    body = torch.rand(1000, generator=rng, dtype=torch.float64) * 3
    tail = 3 * torch.rand(1000, generator=rng, dtype=torch.float64) ** (-1 / 2)
    fit = power_law(torch.cat([body, tail]))
    assert fit.start == pytest.approx(3.0, rel=0.1)
    assert fit.alpha == pytest.approx(3.0, abs=3 * fit.error)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(1e-3, 1e3), min_size=5, max_size=60), st.integers(2, 5))
def test_both_backends_choose_the_same_start(x, smallest):
    values = torch.tensor(x, dtype=torch.float64).sort().values
    if values[-1] <= 1.001 * values[0]:
        return
    a, b = (best_start(values, smallest, backend) for backend in ("torch", "numba"))
    fits = [power_law(values, start=float(values[i])) for i in (a, b) if values[i] < values[-1]]
    assert a == b or abs(fits[0].distance - fits[-1].distance) < 1e-12


def test_both_backends_agree_on_a_long_tail():
    pytest.importorskip("numba")
    x = torch.randn(1500, generator=torch.Generator().manual_seed(0), dtype=torch.float64).exp()
    assert power_law(x, backend="numba") == power_law(x, backend="torch")


def test_equal_values_are_in_the_tail_together():
    x = torch.tensor([1.0] * 5 + [2.0] * 5 + [4.0, 8.0], dtype=torch.float64)
    for smallest in (2, 3, 5):
        assert power_law(x, smallest_tail=smallest).tail in (12, 7, 2)


def test_all_exponents_at_once_are_those_one_by_one():
    x = torch.rand(3, 20, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    x = x.sort(-1).values
    found = exponents(x)
    for k in range(3):
        for i in (0, 7, 18):
            alone = power_law(x[k], start=float(x[k, i])).alpha
            assert float(found[k, i]) == pytest.approx(alone)


def test_data_without_a_tail_are_refused():
    with pytest.raises(InputError, match="not all equal"):
        power_law(torch.ones(9))
    with pytest.raises(InputError, match="at least 2"):
        power_law(torch.rand(9), smallest_tail=1)
    with pytest.raises(InputError, match="two different values"):
        power_law(torch.rand(9), start=5.0)
    with pytest.raises(InputError, match="finite"):
        power_law(torch.tensor([1.0, 2.0, math.inf]))
