import pytest
import torch

from corollary.errors import InputError
from corollary.theory.optimization.objectives import quadratic, sine_valley, waves
from corollary.theory.optimization.smoothness_bounds import (
    descent,
    smoothness_gap,
    suboptimality_from_gradient,
)
from corollary.theory.prerequisites.gradients import gradient


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def landscape():
    return waves(draw(3, 2), draw(3, seed=1), draw(3, seed=2).abs())


def test_both_parabolas_hold_with_the_true_smoothness_and_fail_with_less():
    o = landscape()
    pairs = 2 * draw(200, 2, 2, seed=4)
    gaps = [smoothness_gap(o.f, x, xp, o.L) for x, xp in pairs]
    assert min(min(g) for g in gaps) >= -1e-12
    assert min(min(smoothness_gap(o.f, x, xp, o.L / 10)) for x, xp in pairs) < 0


@pytest.mark.parametrize("L", [1e-6, 1.0, 100.0])
def test_one_parabola_alone_does_not_make_a_function_smooth(L):
    """The notes' one-sided form: -x^4 has it with every L, and no Lipschitz gradient."""

    def f(x):
        return -(x**4).sum()

    gaps = [smoothness_gap(f, 3 * a, 3 * b, L).upper for a, b in draw(100, 2, 1)]
    assert min(gaps) >= -1e-9
    far = smoothness_gap(f, torch.tensor([30.0]).double(), torch.zeros(1).double(), L)
    assert far.lower < 0


def test_the_decrease_is_at_least_the_promise_up_to_one_over_L():
    o = landscape()
    for x in 2 * draw(40, 2, seed=6):
        for share in (0.1, 0.5, 1.0, 1.9):
            assert descent(o.f, x, share / o.L, o.L).slack >= -1e-12
        full = descent(o.f, x, 1 / o.L, o.L)
        assert full.guaranteed == pytest.approx(float(gradient(o.f, x).square().sum()) / (2 * o.L))


def test_the_promise_is_kept_exactly_on_a_round_bowl_and_beyond_two_over_L_it_climbs():
    L = 3.0
    f, x = quadratic(L * torch.eye(2, dtype=torch.float64)).f, draw(2)
    for share in (0.3, 1.0, 2.1):
        step = descent(f, x, share / L, L)
        assert step.actual == pytest.approx(step.guaranteed, abs=1e-12)
    assert descent(f, x, 2.1 / L, L).actual < 0


def test_sufficient_decrease_is_an_inequality():
    """The printed equality: theta^2/2 is 2-smooth and drops by 0.375, not by 0.25."""
    step = descent(lambda x: 0.5 * (x**2).sum(), torch.ones(1).double(), 0.5, 2.0)
    assert (step.guaranteed, step.actual) == (0.25, 0.375)


def test_the_height_above_the_minimum_is_at_least_the_squared_gradient():
    o = sine_valley(2)
    for x in 3 * draw(100, 2, seed=7):
        low = suboptimality_from_gradient(gradient(o.f, x), o.L)
        assert float(o.f(x)) >= low * (1 - 1e-12)


def test_the_height_is_attained_by_a_round_bowl():
    L, x = 5.0, draw(3)
    o = quadratic(L * torch.eye(3, dtype=torch.float64))
    assert float(o.f(x)) == pytest.approx(suboptimality_from_gradient(gradient(o.f, x), L))


def test_a_negative_smoothness_is_refused():
    with pytest.raises(InputError, match="L must be a positive number"):
        suboptimality_from_gradient(torch.ones(1), -1.0)
