import pytest
import torch

from corollary.claims.prerequisites.orthogonal_inverse import Given, OrthogonalInverse
from corollary.core import Verdict


def test_a_rotation_keeps_the_length_of_three_four():
    Q = torch.tensor([[0.6, -0.8], [0.8, 0.6]], dtype=torch.float64)
    x = torch.tensor([[3.0, 4.0]], dtype=torch.float64)
    result = OrthogonalInverse().check_given(Given(Q, x))
    assert result.verdict is Verdict.HOLDS and result.predicted[-1] == 5.0


def test_a_tall_matrix_is_only_half_orthogonal():
    refuted = OrthogonalInverse().refute(0)
    assert refuted.fails and refuted.broken == ("Q is square",)


@pytest.mark.parametrize("n", [2, 6, 50])
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_matrices(seed, n):
    assert OrthogonalInverse(n=n).check(seed).verdict is Verdict.HOLDS
