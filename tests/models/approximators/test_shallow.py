import pytest
import torch

from corollary.core import generator
from corollary.errors import InputError
from corollary.models.approximators.shallow import (
    Superposition,
    fit_outer,
    fit_superposition,
    joined,
    random_units,
)
from corollary.theory.approximation.grids import box_grid
from corollary.train import fit


def network(seed=0, m=5, d=2):
    rng = generator(seed)
    w, b = random_units(m, d, 3.0, rng=rng)
    return Superposition(torch.tanh, w, b, torch.randn(m, generator=rng, dtype=torch.float64))


def test_it_is_the_network_of_torchs_own_layers():
    net, x = network(), box_grid(2, 5)
    first, last = torch.nn.Linear(2, 5).double(), torch.nn.Linear(5, 1, bias=False).double()
    first.weight.data, first.bias.data, last.weight.data = net.w.data, net.b.data, net.a.data[None]
    assert torch.allclose(net(x), last(torch.tanh(first(x)))[:, 0], rtol=1e-14)


def test_joined_networks_add_up_and_so_do_their_units():
    one, two, x = network(1), network(2, m=3), box_grid(2, 4)
    both = joined([one, two], [2.0, -1.0])
    assert both.units == 8
    assert torch.allclose(both(x), 2 * one(x) - two(x), rtol=1e-13, atol=1e-13)


def test_only_networks_with_one_activation_are_joined():
    other = Superposition(
        torch.relu, *(p.detach() for p in (network().w, network().b, network().a))
    )
    with pytest.raises(InputError, match="same activation"):
        joined([network(), other], [1.0, 1.0])
    with pytest.raises(InputError, match="one weight per network"):
        joined([network()], [])


def test_random_units_bend_inside_the_box():
    w, b = random_units(500, 2, 7.0, low=-1.0, high=2.0, rng=generator(0))
    assert w.norm(dim=1).max() <= 7
    corners = box_grid(2, 2, -1.0, 2.0) @ w.T + b
    assert bool((corners.min(0).values <= 1e-12).all() and (corners.max(0).values >= -1e-12).all())


def bent(x):
    return torch.cos(2 * x).prod(1) + (x[:, 0] - 0.5).abs()


@pytest.mark.parametrize("d", [1, 2])
def test_the_sup_error_for_a_continuous_function_falls_below_two_hundredths(d):
    x = box_grid(d, {1: 501, 2: 41}[d])
    nets = [fit_superposition(bent, torch.sigmoid, m, d=d, rng=generator(0)) for m in (8, 64, 256)]
    errors = [float((net(x) - bent(x)).abs().max().detach()) for net in nets]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.02


def test_in_three_dimensions_the_mean_error_falls_with_the_width():
    x = torch.rand(3000, 3, generator=generator(5), dtype=torch.float64)
    nets = [fit_superposition(bent, torch.sigmoid, m, d=3, rng=generator(0)) for m in (8, 64, 256)]
    errors = [float((net(x) - bent(x)).square().mean().detach()) for net in nets]
    assert errors[0] > 4 * errors[1] > 8 * errors[2]


def test_for_a_step_the_sup_error_stays_half_the_jump():
    def jump(x):
        return (x[:, 0] >= 0.5).to(x)

    x = torch.linspace(0, 1, 20_001, dtype=torch.float64)[:, None]
    for m in (16, 256):
        net = fit_superposition(jump, torch.sigmoid, m, scale=100.0, rng=generator(0))
        assert (net(x) - jump(x)).abs().max() >= 0.45


def test_a_polynomial_activation_stays_at_the_best_polynomial():
    x = torch.linspace(-1, 1, 501, dtype=torch.float64)[:, None]
    for m in (5, 50, 200):
        net = fit_superposition(
            lambda t: t[:, 0] ** 3, torch.square, m, low=-1.0, high=1.0, rng=generator(0)
        )
        assert (net(x) - x[:, 0] ** 3).abs().max() >= 0.25


def test_all_weights_can_be_trained():
    x = torch.linspace(0, 1, 60, dtype=torch.float64)[:, None]
    net = Superposition(
        torch.sigmoid,
        *random_units(8, 1, 10.0, rng=generator(1)),
        torch.zeros(8, dtype=torch.float64),
    )
    data = (x, (x[:, 0] - 0.4).abs())
    fit(net, data, torch.nn.functional.mse_loss, lambda p: torch.optim.Adam(p, lr=0.05), steps=150)
    assert (net(x) - data[1]).square().mean() < data[1].square().mean() / 20


def test_features_that_overflow_are_refused():
    w, b = random_units(4, 1, 1e4, rng=generator(0))
    x = torch.linspace(0, 1, 9, dtype=torch.float64)[:, None]
    with pytest.raises(InputError, match="smaller weights"):
        fit_outer(torch.exp, w, b, x, x[:, 0])
    with pytest.raises(InputError, match="positive scale"):
        random_units(4, 1, 0.0, rng=generator(0))
    with pytest.raises(InputError, match="units"):
        Superposition(torch.exp, torch.ones(0, 1), torch.ones(0), torch.ones(0))
