import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.models.batch_norm import BatchNorm
from corollary.models.layer_norm import LayerNorm


def normal(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("shape", [(5, 4), (2, 3, 4)])
def test_outputs_and_gradients_are_those_of_torch(shape):
    ours, theirs = LayerNorm(4, dtype=torch.float64), nn.LayerNorm(4, dtype=torch.float64)
    with torch.no_grad():
        ours.gamma.copy_(normal(4, seed=5))
        theirs.weight.copy_(ours.gamma)
    z, slope = normal(*shape).requires_grad_(), normal(*shape, seed=1)
    torch.testing.assert_close(ours(z), theirs(z))
    expected = torch.autograd.grad(theirs(z), (z, theirs.weight, theirs.bias), slope)
    for a, b in zip(ours.gradient(z, slope), expected, strict=True):
        torch.testing.assert_close(a, b)


def test_an_example_does_not_see_its_batch_but_does_with_batch_normalisation():
    z = normal(8, 4)
    ln, bn = LayerNorm(4, dtype=torch.float64), BatchNorm(4, dtype=torch.float64)
    torch.testing.assert_close(ln(z)[:2], ln(z[:2]))
    assert float((bn(z)[:2] - bn(z[:2])).detach().abs().max()) > 0.1


def test_scaling_and_shifting_an_example_changes_nothing_without_delta():
    z, ln = normal(3, 4), LayerNorm(4, 0.0, dtype=torch.float64)
    a, c = torch.tensor([[2.0], [3.0], [0.5]]), torch.tensor([[1.0], [-4.0], [9.0]])
    torch.testing.assert_close(ln(a * z + c), ln(z))


def test_wrong_shapes_are_refused():
    with pytest.raises(InputError, match="expected 4 features"):
        LayerNorm(4)(torch.zeros(2, 3))
