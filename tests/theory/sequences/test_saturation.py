import pytest
import torch
from scipy.integrate import quad
from scipy.stats import norm

from corollary.errors import InputError
from corollary.theory.sequences.saturation import (
    attention_saturation,
    attention_scores,
    gap_density,
    jacobian_norms,
)


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.mark.parametrize("d", [1, 8, 64])
def test_products_have_variance_d_and_scaled_ones_variance_one(d):
    scores = attention_scores(d, 4, 300, rng=rng())
    assert float(scores.square().mean()) == pytest.approx(d, rel=0.2)
    assert float((scores / d**0.5).var()) == pytest.approx(1.0, rel=0.2)
    assert float(scores.mean()) == pytest.approx(0.0, abs=0.1 * d**0.5)


def test_jacobian_and_entropy_vanish_without_the_scale_and_stay_with_it():
    dims = [16, 64, 256, 1024]
    bare = attention_saturation(dims, n=4, rng=rng())
    scaled = attention_saturation(dims, n=4, scaled=True, rng=rng())
    for key in ("jacobian", "entropy"):
        falling = [getattr(s, key) for s in bare]
        level = [getattr(s, key) for s in scaled]
        assert falling == sorted(falling, reverse=True) and falling[-1] < falling[0] / 4
        assert max(level) < 1.1 * min(level)


@pytest.mark.parametrize("n", [2, 3, 8])
def test_the_density_of_the_gap_is_the_integral(n):
    value, _ = quad(lambda x: n * (n - 1) * norm.pdf(x) ** 2 * norm.cdf(x) ** (n - 2), -9, 9)
    assert gap_density(n) == pytest.approx(value, rel=1e-9)


def test_the_level_of_the_decay_is_the_density_of_the_gap():
    """The exact mean for two keys: the gap is normal with variance 2d, given |q| = sqrt(d)."""
    d = 10_000.0
    g = torch.randn(200_000, generator=rng(), dtype=torch.float64) * (2 * d) ** 0.5
    mean = float(jacobian_norms(torch.stack([g, 0 * g], dim=1)).mean())
    assert mean * d**0.5 == pytest.approx(gap_density(2), rel=0.1)


def test_one_key_has_no_gap():
    with pytest.raises(InputError, match="n >= 2"):
        gap_density(1)
    with pytest.raises(InputError, match="d, n, r >= 1"):
        attention_scores(0, 1, 1, rng=rng())
