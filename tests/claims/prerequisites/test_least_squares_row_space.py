import pytest
import torch

from corollary.claims.prerequisites.least_squares_row_space import Given, LeastSquaresRowSpace
from corollary.core import Verdict


def test_one_equation_moves_one_coordinate():
    X = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    y, w = torch.tensor([3.0], dtype=torch.float64), torch.tensor([0.0, 7.0], dtype=torch.float64)
    result = LeastSquaresRowSpace().check_given(Given(X, y, w))
    assert result.verdict is Verdict.HOLDS and result.predicted == (3.0, 7.0)


def test_a_penalty_leaves_the_row_space():
    refuted = LeastSquaresRowSpace().refute(0)
    assert refuted.fails and refuted.broken == ("the gradient lies in the span of the data",)


@pytest.mark.parametrize("n", [1, 4, 9])
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_data(seed, n):
    assert LeastSquaresRowSpace(n=n).check(seed).verdict is Verdict.HOLDS
