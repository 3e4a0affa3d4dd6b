import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.models.sawtooth import (
    depth,
    relu_count,
    sawtooth,
    shallow_relu,
    telgarsky_network,
    tent,
    tooth_follower,
)
from corollary.theory.expressivity.piecewise import PiecewiseLinear
from corollary.theory.expressivity.regions.line import affine_pieces
from corollary.theory.expressivity.sawtooth import integral_distance, sawtooth_curve

FORMS = ["three_units", "two_layer"]


@pytest.mark.parametrize("form", FORMS)
def test_the_tent_is_its_definition_on_a_grid_that_leaves_the_interval(form):
    x = torch.arange(-512, 769, dtype=torch.float64) / 256
    expected = torch.where(x < 0.5, 2 * x, 2 - 2 * x).clamp(min=0)
    assert torch.equal(tent(form)(x[:, None])[:, 0], expected)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("k", [1, 2, 5, 10])
def test_k_tents_have_two_to_the_k_pieces_and_three_k_rectifiers(form, k):
    net = sawtooth(k, form)
    assert affine_pieces(net, 0.0, 1.0).count == 2**k
    assert relu_count(net) == 3 * k
    assert depth(net) == (k if form == "three_units" else 2 * k)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("k", [1, 7, 20])
def test_values_at_dyadic_points_alternate_exactly(form, k):
    i = torch.arange(2 ** min(k, 16) + 1, dtype=torch.float64)
    start = 0 if k <= 16 else 2**k // 3  # a window of the points of k = 20
    with torch.no_grad():
        values = sawtooth(k, form)(((start + i) / 2**k)[:, None])[:, 0]
    assert torch.equal(values, (start + i) % 2)


@pytest.mark.parametrize("form", FORMS)
def test_the_network_is_the_tent_composed_with_itself(form):
    x = torch.rand(200, 1, generator=torch.Generator().manual_seed(0)).double()
    once = tent(form)
    torch.testing.assert_close(sawtooth(3, form)(x), once(once(once(x))), rtol=0, atol=1e-14)


@pytest.mark.parametrize("L", [1, 2, 3, 4])
def test_telgarskys_network_has_the_promised_size_and_no_error(L):
    net = telgarsky_network(L)
    assert (relu_count(net), depth(net)) == (3 * L**2 + 6, 2 * L**2 + 4)
    if L < 4:
        found = affine_pieces(net, 0.0, 1.0)
        curve = PiecewiseLinear(found.s, found.values[:, 0], 0.0, 0.0)
        assert integral_distance(sawtooth_curve(L**2 + 2), curve) == 0


@pytest.mark.parametrize("m", [2, 5, 16])
def test_the_follower_of_teeth_has_m_units_m_pieces_and_the_stated_error(m):
    net = tooth_follower(4, m)
    found = affine_pieces(net, 0.0, 1.0)
    assert relu_count(net) == found.count == m
    curve = PiecewiseLinear(found.s, found.values[:, 0], 0.0, 0.0)
    left = (1 - (m - 1.5) / 16) / 4
    assert integral_distance(sawtooth_curve(4), curve) == pytest.approx(left, rel=1e-12)


def test_a_sum_of_rectifiers_is_what_torch_computes():
    net = shallow_relu([0.0, 0.5], [1.0, -3.0])
    x = torch.linspace(-1, 2, 31, dtype=torch.float64)[:, None]
    torch.testing.assert_close(net(x), nn.functional.relu(x) - 3 * nn.functional.relu(x - 0.5))


def test_wrong_arguments_are_named():
    with pytest.raises(InputError, match="k=0"):
        sawtooth(0)
    with pytest.raises(InputError, match="between 2"):
        tooth_follower(3, 9)
    with pytest.raises(InputError, match="L must"):
        telgarsky_network(0)
    with pytest.raises(InputError, match="step per bend"):
        shallow_relu([0.0], [])
