import pytest
import torch

from corollary.claims.geometry.polynomial_layer_on_a_ring import PolynomialLayerOnARing, layer_of
from corollary.core import Verdict


def test_the_second_difference_is_minus_the_laplacian():
    """The kernel (1, -2, 1) is the polynomial 0 - L."""
    kernel = torch.tensor([[[1.0, -2.0, 1.0]]], dtype=torch.float64)
    layer = layer_of(kernel, torch.zeros(1, dtype=torch.float64))
    assert layer.alpha.flatten().tolist() == pytest.approx([0.0, -1.0], abs=1e-15)


@pytest.mark.parametrize("K", [1, 3, 5])
def test_it_holds_for_other_degrees(K):
    claim = PolynomialLayerOnARing(K=K, c_in=1, c_out=2)
    assert claim.check(K).verdict is Verdict.HOLDS


def test_left_and_right_mean_the_same_to_it():
    assert PolynomialLayerOnARing().refute(1).broken == ("the kernels are symmetric",)
