import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.models.mlp import Dense, LinearLayer
from corollary.models.residual import Residual, ResidualMLP


def rng(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def zeroed(layer: nn.Module) -> nn.Module:
    with torch.no_grad():
        for p in layer.parameters():
            p.zero_()
    return layer


X = torch.randn(7, 4, generator=rng(1), dtype=torch.float64)


@pytest.mark.parametrize("phi", ["sigmoid", "tanh", "relu", "elu", "linear"])
def test_zero_parameters_give_exactly_the_identity(phi):
    assert torch.equal(zeroed(Residual(Dense(4, 4, phi, rng=rng())))(X), X)


def test_without_the_constant_a_sigmoid_layer_moves_its_input():
    layer = Residual(Dense(4, 4, "sigmoid", rng=rng()), subtract_at_zero=False)
    torch.testing.assert_close(zeroed(layer)(X), X + 0.5)


@pytest.mark.parametrize("phi", ["sigmoid", "tanh"])
def test_the_jacobian_is_the_identity_plus_that_of_the_block(phi):
    layer = Residual(Dense(4, 4, phi, rng=rng()))
    whole = torch.func.jacrev(lambda v: layer(v[None])[0])(X[0])
    block = torch.func.jacrev(lambda v: layer.block(v[None])[0])(X[0])
    torch.testing.assert_close(whole, torch.eye(4).double() + block, rtol=1e-12, atol=1e-12)


def test_a_projection_changes_the_width_and_is_what_zero_parameters_leave():
    V = torch.randn(2, 4, generator=rng(), dtype=torch.float64)
    layer = zeroed(Residual(Dense(4, 2, "sigmoid", rng=rng()), V))
    torch.testing.assert_close(layer(X), X @ V.T)
    assert not any(p is layer.fixed for p in layer.parameters()), "a matrix is not learned"


def test_the_jacobian_with_a_projection_is_the_projection_plus_that_of_the_block():
    V = LinearLayer(4, 2, rng=rng())
    layer = Residual(Dense(4, 2, "tanh", rng=rng(1)), V)
    whole = torch.func.jacrev(lambda v: layer(v[None])[0])(X[0])
    block = torch.func.jacrev(lambda v: layer.block(v[None])[0])(X[0])
    torch.testing.assert_close(whole, V.W.detach() + block, rtol=1e-12, atol=1e-12)
    assert any(p is V.W for p in layer.parameters()), "a module is learned"


def test_convolutions_are_projected_by_a_one_by_one_convolution():
    block = nn.Conv2d(3, 5, 3, padding=1, stride=2, bias=False)
    layer = Residual(block, nn.Conv2d(3, 5, 1, stride=2, bias=False), subtract_at_zero=False)
    assert layer(torch.zeros(2, 3, 8, 8)).shape == (2, 5, 4, 4)


def test_widths_that_differ_without_projection_are_refused():
    with pytest.raises(InputError, match="from 4 to 2; pass projection=V"):
        Residual(Dense(4, 2, rng=rng()))
    layer = Residual(nn.Conv2d(3, 5, 1), subtract_at_zero=False)
    with pytest.raises(InputError, match="pass a projection"):
        layer(torch.zeros(2, 3, 8, 8))


def test_a_block_without_a_constant_at_zero_parameters_is_refused():
    with pytest.raises(InputError, match="subtract_at_zero=False"):
        Residual(nn.Conv2d(3, 3, 1))
    with pytest.raises(InputError, match="still depends on its input"):
        Residual(Residual(Dense(4, 4, rng=rng())))


def test_singular_values_stay_near_one_with_shortcuts_and_vanish_without():
    def extremes(shortcut: bool) -> tuple[float, float]:
        net = ResidualMLP(8, 8, 50, 8, "tanh", shortcut=shortcut, gain=0.02, rng=rng())
        hidden = nn.Sequential(*net.hidden)
        J = torch.func.jacrev(lambda v: hidden(v[None])[0])(torch.ones(8).double())
        s = torch.linalg.svdvals(J)
        return s.max().item(), s.min().item()

    high, low = extremes(True)
    assert 0.3 < low < high < 3
    assert extremes(False)[0] < 1e-30


def test_both_forms_draw_the_same_weights():
    with_, without = (ResidualMLP(2, 8, 3, 1, shortcut=s, rng=rng()) for s in (True, False))
    for a, b in zip(with_.parameters(), without.parameters(), strict=True):
        assert torch.equal(a, b)
