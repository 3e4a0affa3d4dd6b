import pytest
import torch

from corollary.claims.approximation.grid_curse import GridCurse
from corollary.claims.approximation.grid_rate import GridRate
from corollary.claims.approximation.monomial_differences import MonomialDifferences
from corollary.claims.approximation.piecewise_constant import PiecewiseConstantLemma
from corollary.claims.approximation.relu_box import Given as Box
from corollary.claims.approximation.relu_box import ReluBox
from corollary.claims.approximation.ridge_density import RidgeDensity
from corollary.claims.approximation.three_layer_relu import ThreeLayerRelu
from corollary.claims.approximation.threshold_approximation import ThresholdApproximation
from corollary.core import Verdict


@pytest.mark.parametrize("values", ["left", "middle"])
@pytest.mark.parametrize("eps", [0.5, 0.05])
def test_threshold_networks_keep_their_error(values, eps):
    result = ThresholdApproximation(eps=eps, values=values).check(0)
    assert result.verdict is Verdict.HOLDS
    assert result.counterexample.fails


def test_a_linear_form_attains_the_modulus_on_a_cube():
    claim = PiecewiseConstantLemma()
    result = claim.check_given(claim.tight())
    assert result.verdict is Verdict.HOLDS
    assert result.ratio == pytest.approx(1.0, abs=1e-9)


def test_with_the_euclidean_modulus_a_cube_in_nine_dimensions_breaks_the_lemma():
    euclidean = PiecewiseConstantLemma().check(0).counterexamples[0]
    assert euclidean.measured[0].value > 1.5 * euclidean.predicted[0]


def test_the_bump_loses_half_the_ramp_in_one_dimension():
    given = Box(torch.tensor([0.3]).double(), torch.tensor([0.6]).double(), torch.relu)
    result = ReluBox(d=1).check_given(given)
    assert [m.value / p for m, p in zip(result.measured, result.predicted, strict=True)] == (
        pytest.approx([0.5] * 3)
    )


@pytest.mark.parametrize("d", [1, 2, 3])
def test_three_relu_layers_keep_two_eps(d):
    result = ThreeLayerRelu(d=d, boxes=64).check(d)
    assert result.verdict is Verdict.HOLDS
    assert result.counterexample.fails


def test_the_count_of_units_is_exponential_in_the_dimension():
    result = GridCurse().check(0)
    assert [int(m.value) for m in result.measured] == [25, 225, 1625, 10_625, 65_625]


@pytest.mark.parametrize("d", [1, 2, 4])
def test_the_rate_on_a_grid_is_one_over_the_dimension(d):
    found = GridRate(d=d).check(1, draw=False)
    assert found.measured[0].value == pytest.approx(-1 / d, abs=0.01)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("central", [True, False])
def test_differences_of_units_have_their_order(k, central):
    result = MonomialDifferences(k=k, central=central).check(1)
    assert result.verdict is Verdict.HOLDS


def test_sums_along_the_axes_never_make_a_product():
    claim = RidgeDensity()
    axes = next(claim.without(claim.draw(0)))
    assert min(axes.measured.values) > 0.3
