"""Second derivatives of convolutions against torch's own."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import conv1d, conv2d, conv3d

from corollary.theory.modules.convolutions import FastConvolutions

CASES = {
    "line": (conv1d, (2, 3, 7), (4, 3, 3), {"stride": 2, "padding": 1}),
    "image": (conv2d, (2, 3, 6, 5), (4, 3, 3, 2), {"stride": (2, 1), "padding": (1, 0)}),
    "dilated": (conv2d, (2, 3, 7, 7), (4, 3, 3, 3), {"dilation": 2, "padding": [2]}),
    "groups": (conv2d, (2, 4, 5, 5), (6, 2, 3, 3), {"groups": 2}),
    "depthwise": (conv2d, (2, 4, 5, 5), (4, 1, 3, 3), {"groups": 4}),
    "volume": (conv3d, (1, 2, 4, 4, 3), (2, 2, 2, 2, 2), {}),
    "same": (conv2d, (2, 2, 5, 5), (2, 2, 3, 3), {"padding": "same"}),
    "no batch": (conv2d, (2, 5, 5), (2, 2, 3, 3), {}),
}


def drawn(*shapes: tuple[int, ...]) -> list[Tensor]:
    rng = torch.Generator().manual_seed(0)
    return [torch.randn(s, generator=rng, dtype=torch.float64).requires_grad_(True) for s in shapes]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("bias", [True, False])
def test_second_derivatives_are_those_of_torch(name, bias):
    conv, x, w, options = CASES[name]
    tensors = drawn(x, w, (w[0],)) if bias else drawn(x, w)

    def second(*wanted: Tensor) -> tuple[Tensor | None, ...]:
        loss = conv(*tensors, **options).pow(3).sum()
        slopes = torch.autograd.grad(loss, wanted, create_graph=True)
        return torch.autograd.grad(sum((s**2).sum() for s in slopes), tensors, allow_unused=True)

    for wanted in (tensors, tensors[:1], tensors[1:]):
        expected = second(*wanted)
        with FastConvolutions():
            found = second(*wanted)
        for a, b in zip(found, expected, strict=True):
            assert torch.allclose(a, b, rtol=1e-10, atol=1e-10)


def test_a_batch_of_directions_can_be_mapped_over():
    net, (x,) = nn.Conv2d(1, 2, 2).double(), drawn((1, 1, 3, 3))
    with FastConvolutions():
        (g,) = torch.autograd.grad(net(x).pow(3).sum(), x, create_graph=True)
    directions = torch.eye(9, dtype=torch.float64).view(9, 1, 1, 3, 3)
    (rows,) = torch.autograd.grad(g, x, directions, is_grads_batched=True)
    H = torch.autograd.functional.hessian(lambda x: net(x).pow(3).sum(), x)
    assert torch.allclose(rows.view(9, 9), H.view(9, 9))


def test_mixed_precision_is_left_to_torch():
    net, x = nn.Conv2d(1, 2, 2), torch.randn(1, 1, 3, 3)
    with FastConvolutions(), torch.autocast("cpu", dtype=torch.bfloat16):
        assert net(x).dtype == torch.bfloat16
