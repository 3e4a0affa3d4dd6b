import pytest
import torch

from corollary.claims.optimization.newton_convergence import (
    STEEPEST,
    Given,
    NewtonConvergence,
)
from corollary.core import Verdict


def test_the_third_derivative_of_softplus_is_at_most_the_constant():
    z = torch.linspace(-5, 5, 20_001, dtype=torch.float64)
    s = torch.sigmoid(z)
    assert float((s * (1 - s) * (1 - 2 * s)).abs().max()) == pytest.approx(STEEPEST, rel=1e-6)


def test_on_a_quadratic_one_step_is_enough():
    x0 = torch.tensor([3.0, -1.0]).double()
    given = Given(lambda x: (x**2).sum(), 0.0, 0 * x0, x0)
    assert NewtonConvergence().measure(given)[0] == 0.0


def test_without_a_lipschitz_hessian_the_iterates_swing():
    claim = NewtonConvergence()
    given = claim.suppositions[-1].without(claim.draw(0))
    assert claim.measure(given) == pytest.approx([0.5] * 4)
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("seed", range(2))
def test_it_holds_for_drawn_losses(seed):
    assert NewtonConvergence(d=3, start=0.7).check(seed).verdict is Verdict.HOLDS
