import pytest
import torch

from corollary.claims.optimization.iteration_complexity import IterationComplexity
from corollary.claims.optimization.polyak_ruppert import PolyakRuppert
from corollary.claims.optimization.progress_per_pass import ProgressPerPass
from corollary.claims.optimization.random_iterate import RandomIterate
from corollary.claims.optimization.robbins_monro import RobbinsMonro
from corollary.claims.optimization.sgd_floor import Given as Floor
from corollary.claims.optimization.sgd_floor import SgdFloor
from corollary.claims.optimization.sgd_interpolation import Given as System
from corollary.claims.optimization.sgd_interpolation import SgdInterpolation
from corollary.claims.optimization.sgd_nonconvex_rate import SgdNonconvexRate
from corollary.core import Verdict
from corollary.theory.optimization.stochastic.linear_systems import sum_of_squares


@pytest.mark.parametrize(
    "claim, broken",
    [
        (RobbinsMonro(steps=1024), "Σ η_i is infinite"),
        (PolyakRuppert(steps=1024), "the power a of the step sizes lies in (1/2, 1)"),
        (SgdNonconvexRate(), "stochastic gradients are bounded by σ along the run"),
        (RandomIterate(), "the iterate is chosen uniformly"),
        (IterationComplexity(), "stochastic gradients are bounded by σ along the run"),
        (SgdFloor(), "the step is at most 1/(2‖XᵀX‖)"),
        (SgdInterpolation(), "Xw = y has a solution"),
        (ProgressPerPass(), "each function occurs at least ten times"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_without_its_hypothesis_the_conclusion_is_false(claim, broken):
    refuted = claim.refute(3)
    assert refuted.fails and broken in refuted.broken


@pytest.mark.parametrize("a", [0.65, 1.0])
def test_the_error_vanishes_over_the_range_of_powers(a):
    assert RobbinsMonro(a=a, steps=1024, runs=100).check(1).verdict is Verdict.HOLDS


@pytest.mark.parametrize("a, c", [(0.55, 1.0), (0.7, 0.6), (0.7, 1.0)])
def test_the_averaged_error_has_one_order_for_all_steps(a, c):
    assert PolyakRuppert(a=a, c=c, steps=1024).check(2).verdict is Verdict.HOLDS


@pytest.mark.parametrize("seed", range(2))
def test_the_nonconvex_bound_holds_in_other_dimensions(seed):
    claim = SgdNonconvexRate(n=10, d=1 + 4 * seed, K=(4, 100), runs=50)
    assert claim.check(seed).verdict is Verdict.HOLDS


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_the_promised_iterations_are_enough(share):
    result = IterationComplexity(share=share, d=3, copies=4).check(1)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[1].value == pytest.approx(result.measured[2].value)  # copies are free


def test_one_equation_of_one_unknown_is_solved_by_one_step():
    one = torch.ones(4, 1).double()  # n max = 4: the step 1/4 lands on the solution
    result = SgdInterpolation(n=4, d=1, steps=8, runs=50).check_given(
        System(one, 3 * one[:, 0], 0.25)
    )
    assert all(m.value == 0 for m in result.measured)


def test_the_floor_by_hand():
    one = torch.ones(2, 1).double()  # functions w² and (w - 2)², minimiser 1, step 1/4
    problem = sum_of_squares(one, torch.tensor([0.0, 2.0]).double())
    claim = SgdFloor(n=2, d=1)
    result = claim.check_given(Floor(problem, torch.tensor([[1.0]]).double(), 0.25))
    assert result.verdict is Verdict.HOLDS  # to 1/2 or to 3/2: the bound is attained
    assert (result.measured[0].value, result.predicted[0]) == pytest.approx((0.25, 0.25))


def test_at_the_solution_of_a_system_that_can_be_solved_the_floor_is_0():
    X = torch.tensor([[1.0, 2.0], [0.0, 1.0], [3.0, 1.0]]).double()
    w = torch.tensor([1.0, -2.0]).double()
    problem = sum_of_squares(X, X @ w)  # Problem 2e says that it is positive
    assert problem.components(w).square().sum(-1).mean() == 0


@pytest.mark.parametrize("share", [0.1, 0.9])
def test_linear_systems_with_a_solution_are_solved_for_every_short_step(share):
    assert SgdInterpolation(share=share, n=10, d=4).check(1).verdict is Verdict.HOLDS


@pytest.mark.parametrize("seed", range(2))
def test_floor_and_random_iterate_hold_for_drawn_systems(seed):
    assert SgdFloor(n=8, d=5, share=0.3).check(seed).verdict is Verdict.HOLDS
    assert RandomIterate(n=8, d=1, K=50).check(seed).verdict is Verdict.HOLDS


def test_many_copies_make_a_pass_of_sgd_worth_more():
    few, many = (ProgressPerPass(copies=c, passes=2, runs=50).check(0) for c in (10, 40))
    assert few.verdict is many.verdict is Verdict.HOLDS
    assert many.measured[0].value < few.measured[0].value
