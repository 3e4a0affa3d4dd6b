import math

import pytest
import torch

from corollary.data.rings import rings
from corollary.errors import InputError
from corollary.theory.connectionism.coordinates import polar, squared_radius, widest_gap
from corollary.theory.connectionism.separability import linear_separability


def drawn(n=80, noise=0.2):
    return rings(n, noise, rng=torch.Generator().manual_seed(0))


def test_polar_coordinates_go_back_to_the_points():
    x, _ = drawn()
    r, angle = polar(x).T
    torch.testing.assert_close(torch.stack([r * angle.cos(), r * angle.sin()], dim=1), x)
    torch.testing.assert_close(squared_radius(x)[:, 0], r**2)


def test_no_line_separates_the_rings_and_the_answer_has_a_proof():
    x, y = drawn()
    answer = linear_separability(x, y)
    assert not answer.separable
    shared = answer.certificate * y
    torch.testing.assert_close(shared @ x, torch.zeros_like(x[0]), rtol=0, atol=1e-9)


@pytest.mark.parametrize("view", [polar, squared_radius])
def test_after_the_map_a_hyperplane_of_positive_margin_separates_them(view):
    x, y = drawn()
    answer = linear_separability(view(x), y)
    assert answer.separable and answer.margin > 0
    signed = y * (view(x) @ answer.w + answer.b) / answer.w.norm()
    assert signed.min().item() == pytest.approx(answer.margin)


def test_degenerate_data_are_reported():
    x, y = drawn()
    assert "all labels" in linear_separability(x, torch.ones_like(y)).note
    twice = linear_separability(torch.cat([x, x[:1]]), torch.cat([y, -y[:1]]))
    assert not twice.separable and "opposite labels" in twice.note


def test_the_widest_gap_tells_whether_the_origin_is_surrounded():
    x, y = drawn()
    assert widest_gap(x[y > 0]) < math.pi
    half = x[(y > 0) & (x[:, 0] > 0)]
    assert widest_gap(half) > math.pi


def test_points_outside_the_plane_are_refused():
    with pytest.raises(InputError, match=r"\(n, 2\), got shape \(4, 3\)"):
        polar(torch.zeros(4, 3))
    with pytest.raises(InputError, match="NaN or inf"):
        polar(torch.full((1, 2), torch.nan))
