import numpy as np
import pytest
import torch

from corollary.errors import InputError
from corollary.theory.generalization.weight_spectra.marchenko_pastur import random_spectrum
from corollary.theory.generalization.weight_spectra.tracy_widom import (
    noise_ceiling,
    tracy_widom,
    tracy_widom_quantile,
)

TABLE = {
    0.01: -3.90,
    0.05: -3.18,
    0.1: -2.78,
    0.3: -1.91,
    0.5: -1.27,
    0.7: -0.59,
    0.9: 0.45,
    0.95: 0.98,
    0.99: 2.02,
}


@pytest.mark.parametrize("level", TABLE)
def test_quantiles_are_the_published_ones(level):
    """Johnstone (2001), Table 1."""
    assert tracy_widom_quantile(level) == pytest.approx(TABLE[level], abs=0.0051)


def test_mean_and_variance_are_the_published_ones():
    """Bornemann (2010), "On the numerical evaluation of distributions in random matrix theory"."""
    step, end = 0.2, 9.0
    x = np.arange(-end, end, step)  # the trapezoidal rule, F being 0 and 1 at the ends
    F = np.array([tracy_widom(float(t)) for t in x])
    mean = end - step * (F.sum() + 0.5)
    square = end**2 - 2 * step * ((x * F).sum() + 0.5 * end) + step**2 / 6  # slope 1 at the end
    assert mean == pytest.approx(-1.2065335745820, abs=1e-8)
    assert square - mean**2 == pytest.approx(1.607781034581, abs=1e-7)


@pytest.mark.parametrize("p, n", [(10, 10), (12, 60), (60, 80)])
def test_noise_is_above_its_ceiling_as_often_as_said(p, n):
    rng = torch.Generator().manual_seed(0)
    top = np.array([float(random_spectrum(p, n, rng=rng)[-1]) for _ in range(500)])
    for delta in (0.2, 0.05):
        error = 4 * (delta / 500) ** 0.5
        rate = float(np.mean(top > noise_ceiling(p, n, delta)))
        assert rate == pytest.approx(delta, abs=error + 0.1 * delta)


def test_levels_that_are_none_are_refused():
    with pytest.raises(InputError, match="level"):
        tracy_widom_quantile(1.0)
