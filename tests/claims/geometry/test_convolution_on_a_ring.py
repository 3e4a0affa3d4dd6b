import pytest
import torch

from corollary.claims.geometry.convolution_on_a_ring import ConvolutionOnARing, Given
from corollary.core import Verdict
from corollary.theory.geometry.graph_fourier import dft_basis


def test_an_impulse_shifts():
    """Convolving with an impulse at node 1 moves a signal by one, divided by √4."""
    x = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64)
    y = torch.tensor([0.0, 1.0, 0.0, 0.0], dtype=torch.float64)
    result = ConvolutionOnARing().check_given(Given(x, y, dft_basis(4).modes))
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx([2.0, 0.5, 1.0, 1.5])


@pytest.mark.parametrize("M", [3, 10, 101])
def test_it_holds_for_rings_of_any_size(M):
    assert ConvolutionOnARing(M=M).check(1).verdict is Verdict.HOLDS


def test_real_modes_give_another_product():
    assert ConvolutionOnARing().refute(2).fails
