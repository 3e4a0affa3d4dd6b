import pytest
import torch

from corollary.claims.prerequisites.factorization_optimum import FactorizationOptimum, Given
from corollary.core import Verdict
from corollary.theory.prerequisites.quadratic_losses import MatrixFactorization


def test_rank_one_of_a_diagonal_keeps_the_larger_entry():
    R = torch.diag(torch.tensor([3.0, 1.0], dtype=torch.float64))
    result = FactorizationOptimum().check_given(Given(R, 1, torch.ones(1, 2).double()))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == pytest.approx(0.5)


def test_zero_is_a_stationary_point_that_is_never_left():
    claim = FactorizationOptimum()
    (trial,) = claim.without(claim.draw(0))
    given = trial.given
    loss = MatrixFactorization(given.R, given.p)
    U = torch.zeros(len(given.R), given.p, dtype=torch.float64)
    assert all(float(g.norm()) == 0.0 for g in loss.gradients(U, given.V))
    assert claim.measure(given).values[-1] == pytest.approx(0.5 * float(given.R.square().sum()))
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("p", [1, 3, 9])
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_matrices(seed, p):
    assert FactorizationOptimum(p=p).check(seed).verdict is Verdict.HOLDS
