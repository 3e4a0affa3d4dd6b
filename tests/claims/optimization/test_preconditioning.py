import pytest
import torch

from corollary.claims.optimization.preconditioning import Given, Preconditioning
from corollary.core import Verdict


def test_a_stretched_bowl_becomes_round():
    Q = torch.diag(torch.tensor([4.0, 0.25]).double())
    given = Given(Q, Q, torch.ones(2).double(), torch.tensor([3.0, -5.0]).double())
    result = Preconditioning().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx([1.0, 0.0] * 2)


def test_a_diagonal_does_not_undo_a_rotation():
    refuted = Preconditioning().refute(2)
    assert refuted.fails and refuted.broken == (
        "the Hessian is diagonal where a diagonal P is used",
    )


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_bowls(seed):
    assert Preconditioning(d=8, kappa=100.0).check(seed).verdict is Verdict.HOLDS
