import pytest
import torch

from corollary.claims.optimization.minibatch_variance import Given as Batches
from corollary.claims.optimization.minibatch_variance import MinibatchVariance
from corollary.claims.optimization.sgd_step import Given as Points
from corollary.claims.optimization.sgd_step import SgdStep
from corollary.core import Verdict
from corollary.theory.optimization.stochastic.finite_sums import squares


def two_targets():
    """Gradients x and x - 2, with the minimiser at 1."""
    return squares(torch.ones(2, 1).double(), torch.tensor([0.0, 2.0]).double())


def test_two_functions_by_hand():
    half, x = torch.full((2,), 0.5).double(), torch.ones(1).double()
    result = MinibatchVariance(n=2, d=1).check_given(Batches(two_targets(), x, half))
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx([1.0, 0.5, 1.0, 0.0])


def test_a_step_from_three_by_hand():
    half, x = torch.full((2,), 0.5).double(), torch.tensor([[3.0]]).double()
    result = SgdStep(n=2, d=1, eta=0.5, points=3).check_given(Points(two_targets(), x, half))
    assert result.measured[0].value == pytest.approx(4 - 4 + 1.25)  # to 1.5 or to 2.5


@pytest.mark.parametrize("claim", [MinibatchVariance(), SgdStep()])
def test_a_loaded_die_breaks_the_formula(claim):
    refuted = claim.refute(0)
    assert refuted.fails and refuted.broken == ("each index is equally likely",)


@pytest.mark.parametrize("seed", range(4))
def test_the_identities_hold_for_drawn_problems(seed):
    assert MinibatchVariance(n=2 + seed, d=2).check(seed).verdict is Verdict.HOLDS
    assert SgdStep(n=5 + seed, d=1 + seed, eta=0.5).check(seed).verdict is Verdict.HOLDS
