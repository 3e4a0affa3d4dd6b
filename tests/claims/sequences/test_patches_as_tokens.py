import pytest
import torch

from corollary.claims.sequences.patch_convolution import Given, PatchConvolution
from corollary.claims.sequences.patch_order import PatchOrder
from corollary.core import Verdict


def test_the_sum_over_a_patch_is_a_convolution_with_ones():
    x = torch.arange(16.0, dtype=torch.float64).reshape(1, 1, 4, 4)
    W, b = torch.ones(1, 4, dtype=torch.float64), torch.zeros(1, dtype=torch.float64)
    claim = PatchConvolution(patch=2)
    result = claim.check_given(Given(x, W, b, W.reshape(1, 1, 2, 2)))
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == [10.0, 18.0, 42.0, 50.0]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("layers", [1, 3])
def test_puzzles_have_the_class_of_their_image(seed, layers):
    assert PatchOrder(layers=layers, across=3).check(seed).verdict is Verdict.HOLDS
