import pytest
import torch

from corollary.claims.optimization.gd_quadratic import GdQuadratic, Given
from corollary.core import Verdict


def two(eta):
    """Curvatures 1 and 4, from (1, 1): gaps 1/2 and 2 at the start."""
    Q = torch.diag(torch.tensor([1.0, 4.0]).double())
    one = torch.ones(2).double()
    return Given(lambda x: 0.5 * x @ Q @ x, Q, 0 * one, one, eta)


def test_two_directions_shrink_by_their_own_factors():
    result = GdQuadratic(k=2).check_given(two(0.375))  # factors 5/8 and -1/2
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == pytest.approx([0.5 * (5 / 8) ** 4, 2 * (1 / 2) ** 4])


def test_the_identity_also_holds_where_descent_diverges():
    result = GdQuadratic(k=3).check_given(two(0.75))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[1].value == pytest.approx(2 * 2.0**6)


def test_a_quartic_term_breaks_it():
    refuted = GdQuadratic().refute(1)
    assert refuted.fails and refuted.broken == ("f is quadratic with Hessian Q",)


@pytest.mark.parametrize("share", [0.5, 1.0, 2.2])
def test_it_holds_for_all_steps(share):
    assert GdQuadratic(share=share).check(2).verdict is Verdict.HOLDS
