import pytest
import torch

from corollary.core import generator
from corollary.data.waves import random_wave
from corollary.errors import InputError
from corollary.models.approximators.steps import (
    PiecewiseConstant,
    piecewise_constant,
    threshold_network,
)

GRID = torch.linspace(0, 1, 10_001, dtype=torch.float64)[:, None]


def sup(net, g):
    return float((net(GRID) - g(GRID)).abs().max().detach())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("eps", [0.5, 0.1, 0.013])
def test_the_network_keeps_its_error_with_its_nodes(seed, eps):
    g = random_wave(1, 3.0, rng=generator(seed))
    net = threshold_network(g, 3.0, eps)
    assert sup(net, g) <= eps * (1 + 1e-12)
    assert net.units == -(-3.0 // eps)


def test_values_in_the_middle_need_half_as_many_nodes():
    g = random_wave(1, 3.0, rng=generator(0))
    net = threshold_network(g, 3.0, 0.1, values="middle")
    assert net.units == 15
    assert sup(net, g) <= 0.1 * (1 + 1e-12)


def test_an_understated_constant_shows_in_the_error():
    g = random_wave(1, 3.0, rng=generator(0))
    assert sup(threshold_network(g, 1.0, 0.1), g) > 0.1


def test_a_constant_function_needs_one_node_and_not_none():
    """With rho = 0 the notes promise no node: the empty network misses g = 5 by 5."""
    net = threshold_network(lambda x: 5 + 0 * x[:, 0], 0.0, 0.1)
    assert (net.units, sup(net, lambda x: 5 + 0 * x[:, 0])) == (1, 0.0)


def test_not_every_network_with_that_many_nodes_is_close():
    """Theorem 14 as worded: the zero network has as many nodes and misses by the size of g."""
    g = random_wave(1, 3.0, rng=generator(0))
    net = threshold_network(g, 3.0, 0.1)
    net.a.data.zero_()
    assert sup(net, g) > 0.1


def test_the_sum_of_jumps_telescopes_from_the_first_one_on():
    """a_i = g(b_i) - g(b_{i-1}) is needed for i = 1 too, where the notes say i > 1."""
    net = threshold_network(lambda x: x[:, 0], 1.0, 0.25)
    assert net.a.tolist() == [0.0, 0.25, 0.25, 0.25]
    net.a.data[1] = 0.0
    assert sup(net, lambda x: x[:, 0]) > 0.25 * 1.5


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("where", ["corner", "centre"])
def test_a_table_on_cubes_keeps_the_modulus_in_the_sup_norm(d, where):
    g = random_wave(d, 2.0, rng=generator(d))
    x = torch.rand(5000, d, generator=generator(7), dtype=torch.float64)
    table = piecewise_constant(g, d, 0.2, where=where)
    error = float((table(x) - g(x)).abs().max().detach())
    assert error <= 2.0 * 0.2 / (1 if where == "corner" else 2)
    assert len(table.values) == 5**d


@pytest.mark.parametrize(("factor", "fails"), [(1.0, True), (1 / 3, False)])
def test_with_the_euclidean_modulus_sides_must_shrink_by_the_root_of_d(factor, fails):
    """g = sum x_i / sqrt(9) moves by 0.5 within Euclidean distance 0.5."""
    x = torch.rand(20_000, 9, generator=generator(0), dtype=torch.float64)
    x = torch.cat([x, torch.full((1, 9), 0.499999).double()])
    if fails:  # from the corner of a cube with side delta to the opposite one
        table = piecewise_constant(lambda t: t.sum(1) / 3, 9, 0.5 * factor, where="corner")
        assert (table(x) - x.sum(1) / 3).abs().max() > 0.5
    else:  # sides delta / sqrt(d): the diameter is delta, checked on one cube
        side = 0.5 * factor
        assert (side * x.round()).sum(1).max() / 3 <= 0.5 + 1e-12


def test_even_the_best_constant_on_a_cube_errs_by_three_halves_eps():
    corners = torch.tensor([[0.0] * 9, [1.0] * 9]).double().sum(1) / 3
    assert (corners[1] - corners[0]) / 2 == pytest.approx(1.5)


def test_wrong_input_is_refused():
    with pytest.raises(InputError, match="eps must be positive"):
        threshold_network(lambda x: x[:, 0], 1.0, 0.0)
    with pytest.raises(InputError, match="need 4 values"):
        PiecewiseConstant(torch.ones(3), n=2, d=2)
