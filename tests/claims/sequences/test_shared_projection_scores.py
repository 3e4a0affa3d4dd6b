import torch

from corollary.claims.sequences.shared_projection_scores import Given, SharedProjectionScores
from corollary.core import Verdict


def test_two_positions_by_hand():
    """X = I, U = (1, 2): S = [[1, 2], [2, 4]]; with w = e1, z = e2 the values are 2, 2 and 4."""
    X, U = torch.eye(2).double(), torch.tensor([[1.0], [2.0]]).double()
    e1, e2 = X[:1], X[1:]
    result = SharedProjectionScores().check_given(Given(X, U, U, e1, e2))
    assert result.verdict is Verdict.HOLDS
    assert [r.value for r in result.measured] == [2.0, 2.0, 4.0]


def test_separate_projections_have_neither_symmetry_nor_sign():
    X, U = torch.eye(2).double(), torch.tensor([[1.0], [2.0]]).double()
    V = torch.tensor([[1.0], [-1.0]]).double()
    given = Given(X, U, V, X[:1], X[1:])
    claim = SharedProjectionScores()
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert claim.trial(given).measured.tolist() == [-1.0, 2.0, -2.0]
