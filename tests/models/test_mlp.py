import pytest
import torch

from corollary.errors import InputError
from corollary.models.mlp import MLP, Dense, LinearLayer, permute_hidden
from corollary.theory.networks.activations import Activation


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def points(k=9, n=3, seed=1):
    return torch.randn(k, n, generator=rng(seed), dtype=torch.float64)


@pytest.mark.parametrize("bias", [False, True])
def test_row_j_is_unit_j_and_the_batch_is_a_matrix_product(bias):
    layer, x = LinearLayer(3, 4, bias=bias, rng=rng()), points()
    if bias:
        layer.b.data.copy_(torch.arange(4.0))
    for j in range(4):
        torch.testing.assert_close(layer(x)[:, j], layer.unit(j)(x))
    expected = x @ layer.W.T + (layer.b if bias else 0)
    torch.testing.assert_close(layer(x), expected)
    torch.testing.assert_close(layer(x), torch.nn.functional.linear(x, layer.W, layer.b))


def test_the_bias_lives_in_the_output_space():
    layer = LinearLayer(3, 4, bias=True, rng=rng())
    assert layer.W.shape == (4, 3) and layer.b.shape == (4,)


def test_a_network_is_its_layers_one_after_the_other():
    net, x = MLP([3, 6, 5, 2], "tanh", rng=rng()), points()
    by_hand = x
    for layer in list(net.layers)[:-1]:
        by_hand = torch.tanh(by_hand @ layer.affine.W.T + layer.affine.b)
    last = net.layers[-1].affine
    torch.testing.assert_close(net(x), by_hand @ last.W.T + last.b)
    assert [tuple(h.shape) for h in net.representations(x)] == [(9, 3), (9, 6), (9, 5), (9, 2)]
    torch.testing.assert_close(net.representations(x)[-1], net(x))


@pytest.mark.parametrize("widths", [[1, 1], [3, 6, 2], [2, 200, 200, 1]])
def test_the_parameters_are_counted_by_the_formula(widths):
    count = sum(p.numel() for p in MLP(widths, rng=rng()).parameters())
    assert count == sum((n + 1) * m for n, m in zip(widths, widths[1:], strict=False))


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match=r"points with 3 features, got .* \(9, 4\)"):
        Dense(3, 2, rng=rng())(points(n=4))
    with pytest.raises(InputError, match="n=0, m=2"):
        LinearLayer(0, 2, rng=rng())
    with pytest.raises(InputError, match="an input and an output width"):
        MLP([3], rng=rng())


@pytest.mark.parametrize("phi", ["relu", "tanh", "linear", "softmax"])
@pytest.mark.parametrize("layer", [1, 2])
def test_permuting_hidden_units_leaves_the_function_unchanged(phi, layer):
    net, x = MLP([3, 6, 6, 2], equivariant(phi), rng=rng()), points()
    for seed in range(5):
        perm = torch.randperm(6, generator=rng(seed))
        twin = permute_hidden(net, layer, perm)
        torch.testing.assert_close(twin(x), net(x), rtol=0, atol=1e-12)
        assert seed == 0 or not torch.equal(twin.layers[layer - 1].affine.W, net.layers[0].affine.W)


def equivariant(name):
    """Softmax over the units is no entrywise function, but it moves with a permutation."""
    if name != "softmax":
        return name
    return Activation("softmax", lambda z: z.softmax(-1), torch.ones_like, 1.0, (0.0, 1.0))


def test_it_changes_if_the_next_layer_does_not_follow_or_the_activation_sees_the_order():
    net, x, perm = MLP([3, 6, 2], rng=rng()), points(), [1, 2, 3, 4, 5, 0]
    half = permute_hidden(net, 1, perm)
    half.layers[1].affine.W.data.copy_(net.layers[1].affine.W)
    assert (half(x) - net(x)).abs().max() > 0.1
    running = Activation("sums", lambda z: z.cumsum(-1), torch.ones_like, 1.0, (0.0, 1.0))
    net = MLP([3, 6, 2], running, rng=rng())
    assert (permute_hidden(net, 1, perm)(x) - net(x)).abs().max() > 0.1


def test_the_permutation_and_the_layer_are_checked():
    net = MLP([3, 4, 2], rng=rng())
    with pytest.raises(InputError, match="each of 0 to 3 once"):
        permute_hidden(net, 1, [0, 0, 1, 2])
    with pytest.raises(InputError, match="1 to 1, got 2"):
        permute_hidden(net, 2, [0, 1])
