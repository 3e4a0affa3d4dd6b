import torch

from corollary.claims.prerequisites.matrix_laws import Given, MatrixLaws
from corollary.core import Verdict


def test_two_shears_do_not_commute():
    A, B = torch.tensor([[[1.0, 1.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 1.0]]]).double()
    e = torch.eye(2, dtype=torch.float64)
    given = Given(A, B, A, e[0], e[0])
    assert MatrixLaws().trial(given).measured == [3.0, 2.0, 1.0, 1.0, 1.0]  # AB - BA has a 1 there
    assert MatrixLaws().check_given(given).verdict is Verdict.INAPPLICABLE


def test_diagonal_matrices_commute():
    A, B, C = (torch.diag(torch.tensor(d)).double() for d in ([1.0, 2.0], [3.0, -1.0], [0.5, 4.0]))
    e = torch.eye(2, dtype=torch.float64)
    result = MatrixLaws().check_given(Given(A, B, C, e[1], e[1]))
    assert result.verdict is Verdict.HOLDS
    assert [r.value for r in result.measured] == [6.0, -8.0, 1.0, 1.0, 0.0]
