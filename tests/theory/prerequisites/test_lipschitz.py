import pytest
import torch

from corollary.errors import InputError
from corollary.theory.prerequisites.lipschitz import (
    batch_gradient,
    lipschitz_lower_estimate,
    lipschitz_upper_from_gradient,
    steepest_secant,
)


def box(size, d=1):
    return lambda n, rng: size * (2 * torch.rand(n, d, generator=rng, dtype=torch.float64) - 1)


def ends(size, d=1):
    high = torch.full((d,), float(size), dtype=torch.float64)
    return -high, high


def rng():
    return torch.Generator().manual_seed(0)


def wave(x):
    return torch.sin(3 * x).sum(dim=1)


def square(x):
    return x.square().sum(dim=1)


def test_both_estimates_of_a_wave_approach_three():
    lower = lipschitz_lower_estimate(wave, box(2), rng=rng())
    found = lipschitz_upper_from_gradient(wave, *ends(2), curvature=9.0, cells=4000)
    assert 2.999 < lower <= 3.0 <= found.upper < 3.01
    assert lower <= found.upper and found.lower <= found.upper


def test_secants_never_exceed_the_largest_gradient():
    w = torch.randn(3, 2, generator=rng(), dtype=torch.float64)

    def f(x):
        return torch.tanh(x @ w.T).sum(dim=1)

    certificate = lipschitz_upper_from_gradient(
        f, *ends(1, d=2), curvature=float(w.square().sum()), cells=100
    )
    for halvings in (0, 5, 10):
        lower = lipschitz_lower_estimate(f, box(1, d=2), halvings=halvings, rng=rng())
        assert lower <= certificate.upper


def test_halving_only_steepens():
    a, b = (box(2)(200, torch.Generator().manual_seed(s)) for s in (1, 2))
    slopes = [steepest_secant(wave, a, b, halvings=h).slope for h in range(6)]
    assert slopes == sorted(slopes)


def test_the_square_is_not_lipschitz_on_the_line():
    """Its estimate grows with the region: 2r on [-r, r]."""
    found = [lipschitz_lower_estimate(square, box(r), rng=rng()) for r in (1, 10, 100)]
    assert found == pytest.approx([2, 20, 200], rel=0.01)
    upper = [lipschitz_upper_from_gradient(square, *ends(r), curvature=2.0).upper for r in (1, 10)]
    assert upper == pytest.approx([2, 20])


def test_batched_gradients_are_those_of_single_points():
    x = box(1, d=3)(5, rng())
    assert torch.allclose(batch_gradient(square, x), 2 * x)
    assert batch_gradient(lambda x: torch.ones(len(x)), x).abs().sum() == 0


def test_bad_input_is_named():
    with pytest.raises(InputError, match="two different points"):
        steepest_secant(square, torch.ones(2, 1), torch.ones(2, 1))
    with pytest.raises(InputError, match="low < high"):
        lipschitz_upper_from_gradient(square, torch.ones(1), torch.zeros(1), curvature=1.0)
    with pytest.raises(InputError, match=r"grid points, got 200\^3"):
        lipschitz_upper_from_gradient(square, torch.zeros(3), torch.ones(3), curvature=1.0)
    with pytest.raises(InputError, match="curvature must be a finite bound"):
        lipschitz_upper_from_gradient(square, *ends(1), curvature=float("nan"))
    with pytest.raises(InputError, match="one number for each of 2 points"):
        batch_gradient(torch.sum, torch.ones(2, 1))
