import math

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from scipy.stats import ks_2samp

from corollary.errors import InputError
from corollary.theory.generalization.weight_spectra.marchenko_pastur import (
    MarchenkoPastur,
    central_variance,
    law_p_value,
    null_distances,
    random_spectrum,
)

SHAPES = [(10, 10), (30, 90), (90, 30), (5, 500)]


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("rows, columns", SHAPES)
def test_the_distribution_function_is_the_integral_of_the_density(rows, columns):
    law = MarchenkoPastur(rows, columns, 0.7)
    low, high = law.edges

    def density(x):
        return float(law.density(torch.tensor(x, dtype=torch.float64)))

    for share in (0.2, 0.5, 0.9, 1.0):
        x = low + share * (high - low)
        integral = quad(density, low, x, limit=200)[0]
        assert float(law.cdf(torch.tensor(x, dtype=torch.float64))) == pytest.approx(
            integral, abs=1e-6
        )


@pytest.mark.parametrize("rows, columns", SHAPES)
def test_the_mean_is_that_of_the_squared_entries(rows, columns):
    law = MarchenkoPastur(rows, columns, 0.7)
    q = (torch.arange(20000, dtype=torch.float64) + 0.5) / 20000
    assert float(law.quantile(q).mean()) == pytest.approx(0.7 * law.n, rel=1e-4)


@pytest.mark.parametrize("draw", ["normal", "uniform", "signs"])
def test_spectra_of_drawn_matrices_follow_the_law_whatever_the_entries(draw):
    w = {
        "normal": lambda: torch.randn(200, 300, generator=rng(), dtype=torch.float64),
        "uniform": lambda: (2 * torch.rand(200, 300, generator=rng()).double() - 1) * 3**0.5,
        "signs": lambda: torch.randint(2, (200, 300), generator=rng()).double() * 2 - 1,
    }[draw]()
    values = torch.linalg.svdvals(w).square()
    assert MarchenkoPastur(200, 300).distance(values) < 0.02  # independent draws: about 0.06


def test_bidiagonal_matrices_have_the_spectra_of_full_ones():
    generator = rng()
    short = torch.stack([random_spectrum(6, 9, rng=generator) for _ in range(600)])
    full = torch.randn(600, 6, 9, generator=generator, dtype=torch.float64)
    full = torch.linalg.svdvals(full).square().flip(1)
    for k in (0, 3, 5):
        assert ks_2samp(short[:, k].numpy(), full[:, k].numpy()).pvalue > 1e-3


def test_one_row_is_a_chi_square():
    drawn = torch.cat([random_spectrum(1, 7, rng=rng(k)) for k in range(400)])
    assert float(drawn.mean()) == pytest.approx(7, abs=5 * math.sqrt(14 / 400))


def test_the_variance_of_the_middle_is_right_beside_spikes():
    values = random_spectrum(100, 150, rng=rng()) * 0.3
    spiked = torch.cat([values[:-8], torch.logspace(3, 5, 8, dtype=torch.float64)])
    assert central_variance(values, 150) == pytest.approx(0.3, rel=0.03)
    assert central_variance(spiked, 150) == pytest.approx(0.3, rel=0.03)
    assert float(spiked.mean()) / 150 > 10 * 0.3, "the mean square is carried away"


def test_p_values_of_noise_are_uniform_and_those_of_a_low_rank_small():
    null = null_distances(24, 40, rng=rng())
    generator = rng(1)
    p = [law_p_value(random_spectrum(24, 40, rng=generator), 40, null)[1] for _ in range(120)]
    assert 0.4 < np.mean(p) < 0.6
    assert np.mean(np.array(p) <= 0.1) < 0.2
    w = torch.randn(24, 40, generator=generator, dtype=torch.float64)
    w += (
        30
        * torch.randn(24, 6, generator=generator, dtype=torch.float64)
        @ torch.eye(6, 40).double()
    )
    assert law_p_value(torch.linalg.svdvals(w).square(), 40, null)[1] == 0.01


def test_small_matrices_stand_for_large_ones():
    small, large = (null_distances(p, 2 * p, draws=25, rng=rng()) for p in (600, 601))
    drawn = []
    for k in range(4):
        values = random_spectrum(600, 1200, rng=rng(k))
        drawn.append(MarchenkoPastur(600, 1200, central_variance(values, 1200)).distance(values))
    assert float(small.min()) < np.mean(drawn) < float(small.max())
    assert float(large.mean()) == pytest.approx(float(small.mean()), rel=0.01)


def test_sizes_and_variances_that_are_none_are_refused():
    with pytest.raises(InputError, match="positive variance"):
        MarchenkoPastur(3, 4, 0.0)
    with pytest.raises(InputError, match="4 eigenvalues, got 5"):
        central_variance(torch.ones(5), 4)
