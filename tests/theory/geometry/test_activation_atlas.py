import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.theory.geometry.activation_atlas import (
    activation_atlas,
    layer_activations,
    neighbour_agreement,
    principal_plane,
    random_agreement,
)


@pytest.fixture
def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)).double()


@pytest.fixture
def x():
    return torch.randn(100, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def test_each_cell_holds_the_mean_of_its_inputs_and_empty_ones_are_marked(net, x):
    atlas = activation_atlas(net, "1", x, grid=6)
    a = layer_activations(net, "1", x)
    assert int(atlas.count.sum()) == 100
    for i in range(6):
        for j in range(6):
            inside = (atlas.cell == torch.tensor([i, j])).all(dim=1)
            if inside.any():
                assert torch.allclose(atlas.mean[i, j], a[inside].mean(0))
                best = (a[inside] @ a[inside].mean(0)).argmax()
                assert int(atlas.exemplar[i, j]) == int(inside.nonzero()[best])
            else:
                assert bool(atlas.mean[i, j].isnan().all()) and int(atlas.exemplar[i, j]) == -1
    assert int((atlas.count == 0).sum()) > 0


def test_the_same_inputs_give_the_same_atlas_and_the_model_keeps_no_hook(net, x):
    first, second = (activation_atlas(net, "1", x) for _ in range(2))
    assert torch.equal(first.cell, second.cell) and torch.equal(first.exemplar, second.exemplar)
    assert not net[1]._forward_hooks


def test_classes_are_the_commonest_of_each_cell(net, x):
    y = torch.arange(100) % 3
    atlas = activation_atlas(net, "2", x, grid=4)
    classes = atlas.classes(y)
    i, j = 1, 2
    inside = (atlas.cell == torch.tensor([i, j])).all(dim=1)
    assert int(classes[i, j]) == int(y[inside].bincount().argmax())
    assert bool(((classes == -1) == (atlas.count == 0)).all())


def test_agreement_counts_pairs_of_taken_cells():
    stripes = torch.tensor([[0, 0, 0], [1, 1, 1], [2, 2, -1]])
    assert neighbour_agreement(stripes) == pytest.approx(5 / 10)
    assert random_agreement(stripes) == pytest.approx((3 + 3 + 1) / 28)
    with pytest.raises(InputError):
        neighbour_agreement(torch.tensor([[0, -1], [-1, 1]]))


def test_the_plane_is_that_of_the_principal_components(x):
    centred = x - x.mean(0)
    _, directions = torch.linalg.eigh(centred.T @ centred)
    theirs = centred @ directions.flip(1)[:, :2]
    assert torch.allclose(principal_plane(x).abs(), theirs.abs())


def test_a_layer_that_is_not_there_is_named_with_those_that_are(net, x):
    with pytest.raises(InputError, match="'2'"):
        activation_atlas(net, "conv1", x)
    with pytest.raises(InputError, match="embedding"):
        activation_atlas(net, "1", x, embedding=lambda a: a)
