"""ReLU sums, cosine networks and uniform distances: by hand, broken, and drawn."""

import math

import pytest
import torch

from corollary.claims.approximation.certified_distance import CertifiedDistance
from corollary.claims.approximation.certified_distance import Given as Certified
from corollary.claims.approximation.cosine_products import CosineProducts
from corollary.claims.approximation.cosine_products import Given as Product
from corollary.claims.approximation.cosine_universal import CosineUniversal
from corollary.claims.approximation.linear_interpolation import Given as Smooth
from corollary.claims.approximation.linear_interpolation import LinearInterpolation
from corollary.claims.approximation.linear_interpolation_rate import LinearInterpolationRate
from corollary.claims.approximation.relu_sum import Given as Pieces
from corollary.claims.approximation.relu_sum import ReluSum
from corollary.claims.approximation.relu_universal import ReluUniversal
from corollary.claims.approximation.units_add_up import UnitsAddUp
from corollary.core import Verdict, generator
from corollary.models.approximators.cosine import CosNetwork
from corollary.theory.expressivity.piecewise import PiecewiseLinear


@pytest.mark.parametrize(
    "claim",
    [
        CertifiedDistance(d=1, atol=1e-5), CertifiedDistance(d=3, atol=1e-2),
        CosineProducts(d=1, m=2), CosineUniversal(scale=0.8), LinearInterpolation(nu=4.0),
        LinearInterpolationRate("sin"), LinearInterpolationRate("sqrt"), ReluSum(pieces=30),
        ReluUniversal("sin", d=1), ReluUniversal("abs", d=1), ReluUniversal("sin", d=30),
        UnitsAddUp(n=1, m=1),
    ],
    ids=str,
)  # fmt: skip
def test_they_hold_at_other_settings_and_seeds(claim):
    for seed in (5, 6):
        result = claim.check(seed)
        assert result.verdict is Verdict.HOLDS, result.sentence


def row(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def test_the_square_of_a_cosine_is_half_of_one_plus_the_double_angle():
    F = CosNetwork(row(1.0)[:, None], row(0.0), row(1.0))
    given = Product(F, F, torch.cos, torch.linspace(0, 6, 50, dtype=torch.float64)[:, None])
    result = CosineProducts().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == 1.0 and result.predicted[-1] == 2.0


def test_a_parabola_attains_the_bound_on_interpolation():
    given = Smooth(lambda x: x[:, 0] ** 2, 2.0)
    result = LinearInterpolation().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.ratio == pytest.approx(1.0)


def test_a_curvature_that_is_understated_is_noticed():
    given = Smooth(lambda x: x[:, 0] ** 2, 1.0)
    assert LinearInterpolation().check_given(given).verdict is Verdict.INAPPLICABLE


def test_the_modulus_is_three_units():
    zero = row(0.0)
    given = Pieces(PiecewiseLinear(zero, zero, -1.0, 1.0), 0.0, row(-2.0, 0.0, 3.0))
    result = ReluSum().check_given(given)
    assert result.verdict is Verdict.HOLDS and result.predicted == (2.0, 0.0, 3.0, 3.0)


def test_a_jump_is_no_relu_sum():
    given = ReluSum().given(generator(0, "jump"))
    assert ReluSum().check_given(given._replace(jump=0.1)).verdict is Verdict.INAPPLICABLE


def test_the_sup_of_a_sine_is_certified():
    given = Certified(lambda x: torch.sin(math.pi * x[:, 0]), 1.0, math.pi, math.pi)
    result = CertifiedDistance(d=1).check_given(given)
    assert result.verdict is Verdict.HOLDS and result.predicted[0] <= 1.001
    short = given._replace(stated=1.0)
    assert CertifiedDistance(d=1).check_given(short).verdict is Verdict.INAPPLICABLE


def test_squares_and_missing_phases_are_refused():
    relu, cosine = ReluUniversal(), CosineUniversal()
    given = relu.given(generator(0, "squares"))
    assert relu.check_given(given._replace(sigma=torch.square)).verdict is Verdict.INAPPLICABLE
    drawn = cosine.given(generator(0, "phases"))
    assert cosine.check_given(drawn._replace(biases=False)).verdict is Verdict.INAPPLICABLE
