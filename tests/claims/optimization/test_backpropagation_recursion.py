import pytest
import torch

from corollary.claims.optimization.backpropagation_recursion import (
    BackpropagationRecursion,
    Given,
)
from corollary.core import Verdict
from corollary.theory.optimization.reverse_mode import Affine


def test_one_affine_block_by_hand():
    """f = 2x + 1 at x = 3 with target 5: residual 2, derivatives 6 and 2."""
    W, b = torch.tensor([[2.0]]).double(), torch.ones(1).double()
    x, y = torch.tensor([[3.0]]).double(), torch.tensor([[5.0]]).double()
    result = BackpropagationRecursion().check_given(Given((Affine(W, b),), (W, b), x, y))
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx([1, 6, 6, 2, 2])


def test_without_the_transpose_the_derivatives_are_wrong():
    refuted = BackpropagationRecursion().refute(1)
    assert refuted.fails
    assert refuted.broken == ("each block pulls back by the transpose of its derivative",)


@pytest.mark.parametrize("network", ["mlp", "residual", "convolution"])
@pytest.mark.parametrize("L", [2, 7])
def test_it_holds_for_each_network(network, L):
    assert BackpropagationRecursion(network=network, L=L).check(2).verdict is Verdict.HOLDS
