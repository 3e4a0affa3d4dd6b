import pytest
import torch

from corollary.claims.optimization.gd_strongly_convex import GdStronglyConvex, Given
from corollary.core import Verdict
from corollary.theory.optimization.objectives import quadratic


def bowl(mu, eta):
    return Given(quadratic(2 * torch.eye(1).double()), mu, torch.ones(1).double(), eta)


def test_a_bowl_shrinks_by_the_square_of_what_is_promised():
    result = GdStronglyConvex(k=3).check_given(bowl(2.0, 0.25))
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == pytest.approx([1 / 2, 1 / 4, 1 / 8] * 2)
    assert [m.value for m in result.measured[:3]] == pytest.approx([1 / 4, 1 / 16, 1 / 64])


def test_an_overstated_strong_convexity_is_found():
    assert GdStronglyConvex(k=3).check_given(bowl(2.5, 0.25)).verdict is Verdict.INAPPLICABLE


def test_a_step_beyond_one_over_L_is_not_covered():
    assert GdStronglyConvex(k=3).check_given(bowl(2.0, 0.51)).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("problem", ["ridge logistic", "quadratic"])
def test_it_holds_for_drawn_problems(problem):
    assert GdStronglyConvex(problem=problem, share=0.7, k=20).check(3).verdict is Verdict.HOLDS
