from functools import reduce

import pytest
import torch

from corollary.errors import InputError, UnknownNameError
from corollary.theory.architectures.sliding import convolution, correlation
from corollary.theory.architectures.stencils import STENCILS, binomial, moments, stencil


@pytest.mark.parametrize("order", [1, 2, 4, 9])
def test_it_is_the_box_convolved_with_itself(order):
    box = torch.tensor([0.5, 0.5], dtype=torch.float64)
    torch.testing.assert_close(binomial(order), reduce(convolution, [box] * order))
    assert moments(binomial(order)) == pytest.approx((1, order / 2, order / 4))


def test_each_edge_kernel_sees_its_own_direction():
    ramp = torch.arange(5.0).double().expand(5, 5)  # grows to the right
    assert (correlation(stencil("vertical edges"), ramp) == 1).all()
    assert (correlation(stencil("horizontal edges"), ramp) == 0).all()


def test_the_gallery_has_known_sums():
    sums = {name: float(stencil(name).sum()) for name in STENCILS}
    for name in ("identity", "box", "sharpen"):
        assert sums.pop(name) == pytest.approx(1)
    assert all(s == pytest.approx(0) for s in sums.values())


def test_what_is_not_there_is_refused():
    with pytest.raises(UnknownNameError, match="box"):
        stencil("circle")
    with pytest.raises(InputError, match="order"):
        binomial(-1)
    with pytest.raises(InputError, match="sums to zero"):
        moments(torch.tensor([1.0, -1.0]))
