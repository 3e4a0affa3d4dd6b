"""ReLU sums, cosine networks and uniform distances, by hand."""

import math

import pytest
import torch

from corollary.claims.approximation.certified_distance import CertifiedDistance
from corollary.claims.approximation.certified_distance import Given as Certified
from corollary.claims.approximation.cosine_products import CosineProducts
from corollary.claims.approximation.cosine_products import Given as Product
from corollary.claims.approximation.linear_interpolation import Given as Smooth
from corollary.claims.approximation.linear_interpolation import LinearInterpolation
from corollary.claims.approximation.linear_interpolation_rate import LinearInterpolationRate
from corollary.claims.approximation.relu_sum import Given as Pieces
from corollary.claims.approximation.relu_sum import ReluSum
from corollary.core import Verdict
from corollary.models.approximators.cosine import CosNetwork
from corollary.theory.expressivity.piecewise import PiecewiseLinear


def row(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def test_the_square_of_a_cosine_is_half_of_one_plus_the_double_angle():
    F = CosNetwork(row(1.0)[:, None], row(0.0), row(1.0))
    given = Product(F, F, torch.cos, row(1.0), torch.linspace(0, 6, 50, dtype=torch.float64))
    result = CosineProducts().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == 1.0 and result.predicted[-1] == 2.0


def test_a_parabola_attains_the_bound_on_interpolation():
    claim = LinearInterpolation()
    result = claim.check_given(claim.tight())
    assert result.verdict is Verdict.HOLDS
    assert result.ratio == pytest.approx(1.0)


def test_a_curvature_that_is_understated_is_noticed():
    given = Smooth(lambda x: x[:, 0] ** 2, 1.0)
    assert LinearInterpolation().check_given(given).verdict is Verdict.INAPPLICABLE


def test_a_root_is_a_quarter_of_a_root_away():
    claim = LinearInterpolationRate()
    given = claim.draw(0)._replace(f=lambda x: x[:, 0].sqrt())
    series = claim.measure(given)
    assert series.values == pytest.approx([0.25 * m**-0.5 for m in series.sizes], rel=1e-4)


def test_the_modulus_is_three_units():
    zero = row(0.0)
    modulus = PiecewiseLinear(zero, zero, -1.0, 1.0)
    result = ReluSum().check_given(Pieces(torch.abs, modulus, row(-2.0, 0.0, 3.0)))
    assert result.verdict is Verdict.HOLDS and result.predicted == (2.0, 0.0, 3.0, 3.0)


def test_the_sup_of_a_sine_is_certified():
    given = Certified(lambda x: torch.sin(math.pi * x[:, 0]), 1.0, math.pi, math.pi)
    result = CertifiedDistance(d=1).check_given(given)
    assert result.verdict is Verdict.HOLDS and result.predicted[0] <= 1.001
    short = given._replace(stated=1.0)
    assert CertifiedDistance(d=1).check_given(short).verdict is Verdict.INAPPLICABLE
