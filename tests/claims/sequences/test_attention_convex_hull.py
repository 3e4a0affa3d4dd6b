import pytest
import torch

from corollary.claims.sequences.attention_convex_hull import AttentionConvexHull, Given
from corollary.core import Verdict
from corollary.theory.sequences.attention import dot_attention


def on_a_line(A: list[list[float]]) -> Given:
    X = torch.tensor([[0.0, 0.0], [4.0, 0.0]], dtype=torch.float64)
    return Given(X, torch.tensor(A, dtype=torch.float64), torch.tensor([[1.0, 0.0]]).double())


def test_a_position_that_reads_the_furthest_alone_attains_the_bound():
    X = torch.tensor([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]]).double()
    A = torch.tensor([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).double()
    result = AttentionConvexHull().check_given(Given(X, A, torch.eye(2).double()))
    assert result.verdict is Verdict.HOLDS
    assert [r.value for r in result.measured] == list(result.predicted) == [4.0, 3.0]


@pytest.mark.parametrize("A", [[[2.0, -1.0], [-1.0, 2.0]], [[0.0, 2.0], [1.0, 0.0]]])
def test_weights_that_are_negative_or_do_not_sum_to_one_are_not_an_average(A):
    claim, given = AttentionConvexHull(), on_a_line(A)
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert claim.trial(given).comparison.verdict is Verdict.FAILS


def test_the_weights_are_those_of_dot_attention():
    claim = AttentionConvexHull()
    given = claim.given(torch.Generator().manual_seed(0))
    assert torch.allclose(given.A @ given.X, dot_attention(given.X), atol=1e-12)
