import math

import pytest
import torch

from corollary.errors import InputError
from corollary.theory.expressivity.ball_kernel import ball_volume
from corollary.theory.expressivity.tubes import ball_points, in_tubes, tube_bound, tube_fraction


@pytest.mark.parametrize("n", [2, 3, 5, 9])
@pytest.mark.parametrize("r", [0.5, 1.5, 3.0])
def test_points_fall_into_the_tube_as_often_as_the_beta_law_says(n, r):
    rng = torch.Generator().manual_seed(n)
    x = ball_points(40_000, n, r, rng=rng)
    share = float(in_tubes(x, torch.randn(1, n, generator=rng).double()).double().mean())
    exact = tube_fraction(n, r)
    assert share == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 40_000) + 1e-9)


@pytest.mark.parametrize("n", [2, 3, 10, 50])
@pytest.mark.parametrize("r", [1.0, 1.2, 2.0, 5.0])
def test_the_share_is_below_the_bound_of_cylinders(n, r):
    assert tube_fraction(n, r) <= tube_bound(n, r) * (1 + 1e-12)
    assert tube_bound(n, r, 3) == pytest.approx(3 * tube_bound(n, r))
    direct = 2 * r * ball_volume(n - 1) / (r**n * ball_volume(n))
    assert tube_bound(n, r) == pytest.approx(direct, rel=1e-10)


@pytest.mark.parametrize("n", [1, 3, 100])
def test_a_ball_of_radius_up_to_one_is_inside_the_tube(n):
    assert tube_fraction(n, 1.0) == tube_fraction(n, 0.3) == 1


def test_the_logarithm_falls_by_log_r_in_each_dimension():
    for r in (1.5, 2.0, 4.0):
        drop = math.log(tube_fraction(301, r)) - math.log(tube_fraction(300, r))
        assert drop == pytest.approx(-math.log(r), abs=0.01)


def test_the_rate_of_the_notes_is_missed_below_e_and_met_above():
    assert tube_fraction(50, 2.0) > 1e7 * math.exp(-50)
    assert tube_fraction(50, 0.9) == 1
    assert tube_fraction(50, 4.0) < math.exp(-50)


def test_points_are_uniform_in_the_ball():
    x = ball_points(20_000, 3, 2.0, rng=torch.Generator().manual_seed(0))
    assert float((x.norm(dim=1) <= 1).double().mean()) == pytest.approx(1 / 8, abs=0.01)


def test_wrong_arguments_are_named():
    with pytest.raises(InputError, match="r > 0"):
        tube_bound(2, 0.0)
    with pytest.raises(InputError, match="length zero"):
        in_tubes(torch.zeros(1, 2), torch.zeros(1, 2))
