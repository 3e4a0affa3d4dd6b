"""Labelings, VC dimension, and the bounds that stand on them."""

from math import comb

import pytest
import torch
from scipy.stats import ksone

from corollary.claims.generalization.growth_function import Given, GrowthFunction
from corollary.claims.generalization.network_vc_dimension import NetworkVcDimension
from corollary.claims.generalization.sauer_shelah import SauerShelah
from corollary.claims.generalization.vc_bound import VcBound
from corollary.claims.generalization.vc_dimension_bound import VcDimensionBound
from corollary.core import Verdict, generator


def test_half_planes_have_2_4_8_14_22_labelings():
    claim = GrowthFunction(n=5, d=2)
    given = claim.given(generator(0, "x"))
    assert claim.measure(given) == claim.predict(given) == [2, 4, 8, 14, 22]


@pytest.mark.parametrize("d", [1, 3])
def test_growth_holds_in_other_dimensions(d):
    assert GrowthFunction(n=6, d=d).check(1).verdict is Verdict.HOLDS


def test_points_on_a_line_are_not_in_general_position():
    x = torch.tensor([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 5.0]], dtype=torch.float64)
    assert GrowthFunction().check_given(Given(x)).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("family", ["thresholds", "intervals", "half-planes", "rectangles"])
def test_sauer_holds_for_every_family(family):
    assert SauerShelah(family=family, n=8).check(0).verdict is Verdict.HOLDS


def test_intervals_and_thresholds_attain_the_lemma():
    for family, h in (("intervals", 2), ("thresholds", 1)):
        claim = SauerShelah(family=family, n=9)
        found = claim.measure(claim.given(generator(0, "x")))
        assert found == [sum(comb(n, i) for i in range(h + 1)) for n in range(1, 10)]


def test_the_lemma_told_too_small_a_dimension_does_not_apply():
    claim = SauerShelah(family="rectangles")
    diamond = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]
    given = claim.given(generator(0, "x"))._replace(
        h=3, x=torch.tensor(diamond, dtype=torch.float64)
    )
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("n", [100, 400])
def test_the_measured_quantile_is_that_of_smirnov(n):
    claim = VcBound(n=n, trials=4000)
    found = claim.measure(claim.given(generator(0, "x")))
    assert found == pytest.approx(ksone.ppf(0.95, n), rel=0.08)
    assert found >= 0.98 * ksone.ppf(0.95, n)


def test_few_samples_make_the_bounds_vacuous_and_they_say_so():
    for claim in (VcBound(n=30, trials=1000), VcDimensionBound(n=30, trials=1000)):
        result = claim.check(0)
        assert result.verdict is Verdict.VACUOUS
        assert result.predicted[0] > 1


def test_the_largest_gap_of_intervals_is_found_by_brute_force():
    claim = VcDimensionBound(n=12, trials=1000)
    given = claim.given(generator(0, "x"))
    x = given.x[0].sort().values
    ends = torch.cat([torch.zeros(1).double(), x, torch.ones(1).double()])
    best = 0.0
    for i in range(14):
        for j in range(i + 1, 14):  # open intervals between the points i and j
            best = max(best, float(ends[j] - ends[i]) - (j - i - 1) / 12)
    assert float(given.suprema(given.x)[0]) == pytest.approx(best)


def test_networks_shatter_one_point_more_than_they_have_units():
    claim = NetworkVcDimension(m=6)
    assert claim.trial(claim.draw(0)).measured == [3, 4, 5, 6, 7]


def test_one_sine_shatters_more_than_any_such_network_of_its_size():
    refuted = NetworkVcDimension().refute(0)
    assert refuted.fails
    assert refuted.measured[0].value == 60 > refuted.predicted[0]
