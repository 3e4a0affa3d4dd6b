import math
import warnings

import numpy as np
import pytest
import torch

from corollary.errors import InputError, InputTypeError
from corollary.models.scratch import BCE, MLP, ClippedBCE, LinearLayer, ReLU
from corollary.models.scratch.arrays import checked_points, checked_random


def rng(seed=0):
    return np.random.default_rng(seed)


def batch(N=20, d=3, seed=1):
    draw = rng(seed)
    return draw.standard_normal((N, d)), (draw.random((N, 1)) > 0.5).astype(float)


def torch_twin(net):
    """The same network as torch layers."""
    modules = []
    for layer in net.linear:
        twin = torch.nn.Linear(*layer.W.shape, dtype=torch.float64)
        twin.weight.data = torch.from_numpy(layer.W.T.copy())
        twin.bias.data = torch.from_numpy(layer.b.copy())
        modules += [twin, torch.nn.ReLU()]
    return torch.nn.Sequential(*modules[:-1])


def test_the_gradients_of_the_layer_are_those_of_autograd():
    X, _ = batch()
    layer, dZ = LinearLayer(3, 4, rng=rng()), rng(5).standard_normal((20, 4))
    x = torch.from_numpy(X).requires_grad_(True)
    W, b = (torch.from_numpy(p).requires_grad_(True) for p in (layer.W, layer.b))
    layer.forward(X)
    dX = layer.backward(dZ)
    expected = torch.autograd.grad(((x @ W + b) * torch.from_numpy(dZ)).sum(), (W, b, x))
    for ours, g in zip((layer.dW, layer.db, dX), expected, strict=True):
        np.testing.assert_allclose(ours, g.numpy(), rtol=0, atol=1e-10)


def test_the_weights_start_with_glorots_variance():
    W = LinearLayer(300, 100, rng=rng()).W
    expected = 2 / 400
    assert abs(W.var() - expected) < 3 * expected * (2 / W.size) ** 0.5
    assert abs(W.mean()) < 3 * (expected / W.size) ** 0.5


def test_relu_passes_the_gradient_where_it_was_positive():
    relu, Z = ReLU(), np.array([[-1.0, 0.0, 2.0]])
    z = torch.from_numpy(Z).requires_grad_(True)
    torch.relu(z).sum().backward()
    np.testing.assert_array_equal(relu.forward(Z), [[0, 0, 2]])
    np.testing.assert_array_equal(relu.backward(np.ones((1, 3))), z.grad.numpy())


@pytest.mark.parametrize("dims", [[3, 1], [3, 7, 1], [3, 10, 5, 1]])
def test_all_gradients_of_the_network_are_those_of_autograd(dims):
    (X, y), net, loss = batch(), MLP(dims, rng=rng()), BCE()
    _, y_hat = loss.forward(net.forward(X), y)
    net.backward(loss.backward(y_hat, y))
    twin = torch_twin(net)
    logits = twin(torch.from_numpy(X))
    torch.nn.functional.binary_cross_entropy_with_logits(logits, torch.from_numpy(y)).backward()
    found = [g for layer in net.linear for g in (layer.dW.T, layer.db)]
    for ours, p in zip(found, twin.parameters(), strict=True):
        np.testing.assert_allclose(ours, p.grad.numpy(), rtol=0, atol=1e-10)


@pytest.mark.parametrize("N", [1, 20, 300])
def test_as_printed_all_gradients_of_parameters_are_n_times_too_small(N):
    (X, y), loss = batch(N), BCE()
    printed, right = (MLP([3, 7, 1], rng=rng(), divide_again=d) for d in (True, False))
    for net in (printed, right):
        _, y_hat = loss.forward(net.forward(X), y)
        net.backward(loss.backward(y_hat, y))
    for a, b in zip(printed.linear, right.linear, strict=True):
        np.testing.assert_allclose(N * a.dW, b.dW, rtol=1e-12, atol=1e-16)
        np.testing.assert_allclose(N * a.db, b.db, rtol=1e-12, atol=1e-16)


def test_four_widths_make_three_linear_layers_and_two_hidden_ones():
    net = MLP([3, 10, 5, 2], rng=rng())
    assert len(net.linear) == 3 and sum(isinstance(f, ReLU) for f in net.layers) == 2
    assert net.parameter_count() == 3 * 10 + 10 + 10 * 5 + 5 + 5 * 2 + 2


def test_the_loss_is_torchs_and_so_is_its_gradient():
    z, y = rng().standard_normal((20, 1)) * 5, batch()[1]
    value, y_hat = BCE().forward(z, y)
    t = torch.from_numpy(z).requires_grad_(True)
    expected = torch.nn.functional.binary_cross_entropy_with_logits(t, torch.from_numpy(y))
    expected.backward()
    assert value == pytest.approx(expected.item(), abs=1e-10)
    np.testing.assert_allclose(BCE().backward(y_hat, y), t.grad.numpy(), atol=1e-12)
    assert ClippedBCE().forward(z, y)[0] == pytest.approx(value)  # near 0 both are right


def test_clipping_caps_the_loss_at_27_6_and_keeps_the_gradient_of_another_function():
    z, y = np.array([[-100.0]]), np.array([[1.0]])
    clipped, y_hat = ClippedBCE().forward(z, y)
    assert clipped == pytest.approx(-math.log(1e-12)) and round(clipped, 1) == 27.6
    assert BCE().forward(z, y)[0] == 100
    nearby, _ = ClippedBCE().forward(z + 1e-3, y)
    assert nearby == clipped and ClippedBCE().backward(y_hat, y)[0, 0] == pytest.approx(-1)
    with pytest.warns(RuntimeWarning, match="overflow"):
        ClippedBCE().forward(np.array([[-800.0]]), y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert BCE().forward(np.array([[-1e4]]), y)[0] == 1e4


def test_bad_input_gets_one_sentence():
    X, y = batch()
    net = MLP([3, 4, 1], rng=rng())
    with pytest.raises(InputError, match=r"expected shape \(N, 3\) with N >= 1, got \(20, 2\)"):
        net.forward(X[:, :2])
    with pytest.raises(InputError, match=r"got \(0, 3\)"):
        net.forward(X[:0])
    with pytest.raises(InputError, match="row 4 contains NaN"):
        net.forward(np.where(np.arange(20)[:, None] == 4, np.nan, X))
    with pytest.raises(InputTypeError, match="NumPy array, got list"):
        checked_points([[1.0, 2.0, 3.0]], 3, "LinearLayer")
    with pytest.raises(InputTypeError, match="Generator or RandomState, got int"):
        checked_random(0)
    with pytest.raises(InputError, match="an input and an output width, got .3."):
        MLP([3], rng=rng())
    with pytest.raises(InputError, match="d_in, d_out >= 1"):
        LinearLayer(0, 1, rng=rng())
    with pytest.raises(InputError, match=r"in \[0, 1\], got 2"):
        BCE().forward(net.forward(X), y + 2 - y)
    with pytest.raises(InputError, match=r"shape \(20, 1\) of the logits, got \(20,\)"):
        BCE().forward(net.forward(X), y[:, 0])
