import pytest
import torch

from corollary.data.karate_club import karate_club
from corollary.errors import InputError
from corollary.models.gcn import GCN
from corollary.train.nodes import accuracy, fit_nodes


def adam(parameters):
    return torch.optim.Adam(parameters, lr=0.02)


def test_labels_of_other_nodes_are_never_looked_at():
    g, side = karate_club()
    ends = torch.zeros(34, dtype=torch.bool)
    ends[[0, 33]] = True
    x = torch.eye(34, dtype=torch.float64)
    nets = []
    for y in (side, torch.where(ends, side, 1 - side)):
        net = GCN([34, 8, 2], rng=torch.Generator().manual_seed(0))
        fit_nodes(net, g, x, y, ends, adam, steps=30)
        nets.append(net)
    assert torch.equal(nets[0](x, g), nets[1](x, g))
    assert accuracy(nets[0](x, g), side, ~ends) > 0.8


def test_without_labels_there_is_nothing_to_fit():
    g, side = karate_club()
    x, net = torch.eye(34).double(), GCN([34, 2], rng=torch.Generator().manual_seed(0))
    with pytest.raises(InputError, match="no node is labelled"):
        fit_nodes(net, g, x, side, torch.zeros(34, dtype=torch.bool), adam, steps=1)
    with pytest.raises(InputError, match="34 nodes"):
        fit_nodes(net, g, x[:5], side, torch.ones(34, dtype=torch.bool), adam, steps=1)
