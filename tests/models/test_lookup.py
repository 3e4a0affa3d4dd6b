import pytest
import torch

from corollary.errors import InputError
from corollary.models.lookup import lookup_network, parity_network, vertices


@pytest.mark.parametrize("d", range(1, 11))
def test_a_table_is_reproduced_at_every_vertex_with_a_unit_a_true_one(d):
    table = torch.rand(2**d, generator=torch.Generator().manual_seed(d)) < 0.4
    net = lookup_network(table)
    assert net.units == int(table.sum())
    assert torch.equal(net(vertices(d)), table.double())


@pytest.mark.parametrize("d", [1, 2, 5, 10])
def test_parity_takes_half_of_the_vertices_or_d_units(d):
    parity = vertices(d).sum(dim=1) % 2
    table, symmetric = lookup_network(parity == 1), parity_network(d)
    assert (table.units, symmetric.units) == (2 ** (d - 1), d)
    assert torch.equal(table(vertices(d)), parity)
    assert torch.equal(symmetric(vertices(d)), parity)


def test_the_function_that_is_never_true_has_no_unit():
    net = lookup_network(torch.zeros(8, dtype=torch.bool))
    assert net.units == 0 and not bool(net(vertices(3)).any())


def test_wrong_arguments_are_named():
    with pytest.raises(InputError, match="2, 4, 8"):
        lookup_network(torch.zeros(6, dtype=torch.bool))
    with pytest.raises(InputError, match="d must"):
        parity_network(0)
    with pytest.raises(InputError, match="d=21"):
        vertices(21)
