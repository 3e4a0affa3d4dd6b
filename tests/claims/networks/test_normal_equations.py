import pytest
import torch

from corollary.claims.networks.normal_equations import Given, NormalEquations
from corollary.core import Verdict


def columns(X: list[list[float]], y: list[float]) -> Given:
    X = torch.tensor(X, dtype=torch.float64)
    return Given(list(X.T), X, torch.tensor(y, dtype=torch.float64))


def test_a_line_through_three_points_is_the_one_worked_by_hand():
    given = columns([[1.0, 1.0, 1.0], [0.0, 1.0, 2.0]], [1.0, 3.0, 5.0])  # y = 1 + 2 t
    result = NormalEquations().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == pytest.approx([1.0, 2.0])


def test_with_too_few_patterns_it_does_not_apply():
    result = NormalEquations().check_given(columns([[1.0], [2.0]], [1.0]))
    assert result.verdict is Verdict.INAPPLICABLE
    assert [h.statement for h in result.hypotheses if not h.holds] == ["X Xᵀ is invertible"]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("d", "s"), [(1, 10), (6, 12), (20, 200)])
def test_it_holds_for_drawn_patterns(seed, d, s):
    assert NormalEquations(d=d, s=s).check(seed).verdict is Verdict.HOLDS


@pytest.mark.parametrize("seed", range(5))
def test_the_row_formula_for_columns_gives_another_vector(seed):
    refuted = NormalEquations().refute(seed)
    assert refuted.fails and "the patterns are the columns of X" in refuted.broken
