import pytest
import torch

from corollary.claims.optimization.least_squares_descent import Given, LeastSquaresDescent
from corollary.core import Verdict


def test_the_slowest_direction_attains_the_bound():
    result = LeastSquaresDescent(k=30).check(0)
    assert result.verdict is Verdict.HOLDS
    for p, m in zip(result.predicted, result.measured, strict=True):
        assert m.value == pytest.approx(p, rel=1e-6)


def test_one_equation_by_hand():
    one = torch.ones(1, 1).double()
    given = Given(2 * one, 2 * one[0], one[0], 0 * one[0], 0.125)  # factor 1 - 4/8
    result = LeastSquaresDescent(k=3).check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx([1 / 2, 1 / 4, 1 / 8])


def test_fewer_equations_than_unknowns_leave_the_null_space():
    X = torch.tensor([[1.0, 0.0]]).double()
    given = Given(X, X[:, 0], torch.tensor([1.0, 0.0]).double(), torch.ones(2).double(), 1.0)
    result = LeastSquaresDescent(k=3).check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == pytest.approx([1.0] * 3)
    assert [m.value for m in result.measured] == pytest.approx([1.0] * 3)


def test_noise_moves_the_solution():
    refuted = LeastSquaresDescent().refute(1)
    assert refuted.fails and refuted.broken == ("w* solves the system",)


@pytest.mark.parametrize("share", [0.5, 1.9])
def test_it_holds_from_random_starts(share):
    claim = LeastSquaresDescent(d=6, share=share, start="random")
    assert claim.check(1).verdict is Verdict.HOLDS
