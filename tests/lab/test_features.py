"""Inputs that bend: the picture, the kernel, the curvature and the regions are of the whole map."""

import math

import pytest
import torch
from torch import nn

from corollary.lab.settings import FEATURES, STRAIGHT, PlaySettings
from corollary.lab.work.plane_inputs import FEATURE, lifted
from corollary.lab.work.plane_regions import borders, plane_regions
from corollary.lab.work.training import Playground
from corollary.theory.expressivity.bounds import serra_upper
from corollary.theory.expressivity.regions.patterns import activation_pattern
from corollary.theory.kernels.empirical import empirical_ntk


def play(steps=0, **settings):
    made = Playground(PlaySettings(**settings))
    for _ in range(steps):
        made.step()
    return made


class Lifted(nn.Module):
    """The network as a function of the plane, features and all."""

    def __init__(self, made):
        super().__init__()
        self.inner, self.names = made.model, made.settings.features

    def forward(self, x):
        return self.inner(lifted(x, self.names))


def test_every_feature_is_the_function_that_it_is_called():
    a, b = 0.7, -1.3
    value = {"x1": a, "x2": b, "x1^2": a * a, "x2^2": b * b, "x1*x2": a * b}
    value |= {"sin x1": math.sin(a), "sin x2": math.sin(b)}
    assert list(FEATURE) == list(FEATURES) == list(value)
    x = torch.tensor([[a, b]], dtype=torch.float64)
    torch.testing.assert_close(
        lifted(x, list(FEATURES))[0], torch.tensor(list(value.values()), dtype=torch.float64)
    )


def test_one_product_parts_exclusive_or_without_a_hidden_layer():
    made = play(300, data="xor", features=("x1*x2",), hidden=(), lr=0.1, noise=0.0)
    assert made.points()["parameters"] == 2
    assert made.frame()["errors"][1] < 0.05
    assert play(300, data="xor", hidden=(), lr=0.1, noise=0.0).frame()["errors"][1] > 0.2


def test_squares_part_the_rings_without_a_hidden_layer():
    made = play(300, data="rings", features=("x1^2", "x2^2"), hidden=())
    assert made.frame()["errors"][1] < 0.02


def test_the_kernel_and_the_losses_are_those_of_the_whole_map():
    made = play(20, features=("x1", "x2^2", "sin x1"), hidden=(5,), activation="tanh")
    whole = Lifted(made)
    torch.testing.assert_close(
        empirical_ntk(made.model, made.probe), empirical_ntk(whole, made.x[:48])
    )
    loss = made.loss(whole(made.x), made.y).item()
    assert made.row()["loss"] == pytest.approx(loss, rel=1e-5)


def test_with_coordinates_alone_the_count_is_that_of_the_plane():
    both = play(30, features=STRAIGHT, hidden=(5,)).theory()
    one = play(30, features=("x2",), hidden=(5,)).theory()
    assert both["regions"] == len(both["polygons"]) and both["borders"] is None
    assert both["regions_note"] == f"at most {int(serra_upper(2, [5]))} by theory"
    assert 1 <= one["regions"] <= 6  # five points of a line part it into six pieces
    assert one["regions_note"] == "at most 6 by theory"


@pytest.mark.parametrize("activation", ["relu", "leaky relu"])
def test_with_features_that_bend_patterns_are_counted_below_the_bound(activation):
    made = play(30, features=("x1", "x2", "x1^2"), hidden=(4, 3), activation=activation)
    found = made.theory()
    line = torch.linspace(-made.reach, made.reach, 193, dtype=torch.float64)
    places = lifted(torch.cartesian_prod(line, line), made.settings.features)
    seen = activation_pattern(made.model, places).unique(dim=0)
    assert found["regions"] == len(seen) <= serra_upper(3, [4, 3])
    assert f"at most {int(serra_upper(3, [4, 3]))} by theory" in found["regions_note"]
    assert found["polygons"] is None and len(found["borders"]) % 4 == 0


def test_what_is_linear_in_features_that_bend_is_one_region():
    for settings in ({"activation": "linear"}, {"hidden": ()}):
        found = play(features=("x1^2",), **settings).theory()
        assert (found["regions"], found["borders"]) == (1, None)
    assert play(features=("x1^2",), activation="tanh").theory()["regions"] is None


def test_the_border_of_a_unit_that_sees_a_circle_is_that_circle():
    settings = PlaySettings(features=("x1^2", "x2^2"), hidden=(1,))
    made = Playground(settings)
    made.set_weight(0, 0, 0, 1.0)
    made.set_weight(0, 0, 1, 1.0)
    made.set_weight(0, 0, None, -1.0)
    found = plane_regions(made.model, settings, 2.0)
    ends = torch.tensor(found["borders"]).reshape(-1, 2)
    assert found["regions"] == 2 and len(ends) > 200
    assert (ends.norm(dim=1) - 1).abs().max() < 0.002
    angles = torch.atan2(ends[:, 1], ends[:, 0]).sort().values
    assert angles.diff().max() < 0.1  # there is no gap in it


def test_borders_of_a_saddle_cross_all_four_sides_of_a_cell():
    found = borders(torch.tensor([[[1.0, -1.0], [-1.0, 1.0]]]), 1.0)
    assert sorted(found.reshape(-1, 2).tolist()) == [[-1, 0], [0, -1], [0, 1], [1, 0]]
