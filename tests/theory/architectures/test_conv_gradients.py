import pytest
import torch
from torch.nn import functional

from corollary.errors import InputError
from corollary.theory.architectures.conv_gradients import conv_backward


def drawn(*shape):
    rng = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, generator=rng, dtype=torch.float64)


@pytest.mark.parametrize(("stride", "padding"), [(1, 0), (1, 2), (2, 0), (2, 1), (3, 1)])
@pytest.mark.parametrize(("size", "kernel"), [((8,), (3,)), ((7, 9), (3, 2))])
def test_it_is_automatic_differentiation(size, kernel, stride, padding):
    conv = functional.conv1d if len(size) == 1 else functional.conv2d
    x, h, b = drawn(2, 3, *size), drawn(4, 3, *kernel), drawn(4)
    for leaf in (x, h, b):
        leaf.requires_grad_()
    y = conv(x, h, b, stride=stride, padding=padding)
    delta = drawn(*y.shape)
    expected = torch.autograd.grad(y, (x, h, b), delta)
    ours = conv_backward(x.detach(), h.detach(), delta, stride=stride, padding=padding)
    for got, want in zip(ours, expected, strict=True):
        torch.testing.assert_close(got, want, atol=1e-8, rtol=1e-8)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="its gradient has shape"):
        conv_backward(drawn(1, 1, 5), drawn(1, 1, 3), drawn(1, 1, 4))
    with pytest.raises(InputError, match="signals"):
        conv_backward(drawn(1, 1), drawn(1, 1), drawn(1, 1))
