import math

import pytest

from corollary.claims.expressivity.ball_density import BallDensity
from corollary.claims.expressivity.ball_kernel_transform import BallKernelTransform
from corollary.claims.expressivity.eldan_shamir import EldanShamir
from corollary.claims.expressivity.radial_network import RadialNetworkError
from corollary.claims.expressivity.ridge_tubes import RidgeTubes
from corollary.claims.expressivity.tube_rate import TubeRate
from corollary.claims.expressivity.tube_volume import TubeVolume
from corollary.claims.expressivity.weighted_parseval import WeightedParseval
from corollary.core import Verdict


@pytest.mark.parametrize("n", [1, 2, 6, 20])
def test_the_kernel_and_its_density_hold_in_many_dimensions(n):
    assert BallDensity(n=n).check(0).verdict is Verdict.HOLDS
    if n <= 16:
        assert BallKernelTransform(n=n).check(0).verdict is Verdict.HOLDS


def test_the_distance_is_the_same_in_frequencies_of_the_plane():
    claim = WeightedParseval(d=2)
    assert claim.trial(claim.draw(0)).comparison.verdict is Verdict.HOLDS


@pytest.mark.parametrize("m", [1, 3])
def test_networks_stay_in_their_tubes_and_a_radial_target_does_not(m):
    result = RidgeTubes(m=m).check(1, draw=False)
    assert result.verdict is Verdict.HOLDS
    assert result.counterexample.fails


@pytest.mark.parametrize("r", [1.5, math.e, 4.0])
def test_tubes_lose_the_ball_at_the_rate_log_r(r):
    assert TubeRate(r=r).check(0).verdict is Verdict.HOLDS


def test_one_tube_in_the_plane_is_below_the_cylinder():
    claim = TubeVolume(m=1, r=2.0, dimensions=(2, 3), draws=20_000)
    result = claim.check(0)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == pytest.approx((2 / math.pi, 3 / 8), rel=1e-9)


def test_the_written_network_holds_for_other_shells():
    assert RadialNetworkError(N=3, dimensions=(1, 5), draws=1000).check(1).verdict is Verdict.HOLDS


def test_one_hidden_layer_falls_behind_as_the_dimension_grows():
    claim = EldanShamir(draws=800, steps=20, runs=2)
    result = claim.check_given(claim.draw(4), seed=4)
    shallow = [m.value for m in result.measured]
    assert shallow == sorted(shallow) and shallow[-1] > 0.5
    assert max(result.predicted) < 0.1
