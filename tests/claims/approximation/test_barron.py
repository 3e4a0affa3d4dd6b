"""Barron, Maurey and Fourier: cases worked by hand, broken hypotheses, drawn instances."""

import math

import pytest
import torch

from corollary.claims.approximation.barron_greedy import BarronGreedy
from corollary.claims.approximation.barron_greedy import Given as Hull
from corollary.claims.approximation.barron_scaling import BarronScaling
from corollary.claims.approximation.barron_scaling import Given as Squeezed
from corollary.claims.approximation.barron_thresholds import BarronThresholds
from corollary.claims.approximation.barron_thresholds import Given as Thresholds
from corollary.claims.approximation.convolution_theorem import ConvolutionTheorem
from corollary.claims.approximation.convolution_theorem import Given as Signals
from corollary.claims.approximation.fixed_basis_rate import FixedBasisRate
from corollary.claims.approximation.maurey_lemma import Given as Atoms
from corollary.claims.approximation.maurey_lemma import MaureyLemma
from corollary.claims.approximation.sine_thresholds import SineThresholds
from corollary.core import Verdict, generator
from corollary.theory.approximation.spectra import GaussianBump


def row(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6])
def test_the_exponent_of_the_best_fixed_basis_is_two_over_the_dimension(d):
    claim = FixedBasisRate(d=d)
    values = claim.trial(claim.draw(0)).measured.values
    slope = math.log(values[-1] / values[0]) / math.log(2048 / 64)
    assert slope == pytest.approx(-2 / d, abs=0.12 if d < 6 else 0.15)


def test_fixed_and_drawn_units_tie_in_the_plane():
    claim = FixedBasisRate(d=2)
    result = claim.check(0)
    assert result.verdict is Verdict.HOLDS
    assert not result.counterexample.fails  # drawn units have the exponent -1 too


def test_one_signal_of_length_one_is_a_multiple():
    given = Signals(row(1.0, 2.0, 3.0), row(2.0), 3)
    result = ConvolutionTheorem().check_given(given)
    assert result.verdict is Verdict.HOLDS and result.predicted == (2.0, 4.0, 6.0)


def test_one_zero_too_few_is_noticed():
    given = ConvolutionTheorem(n=8, m=3).given(generator(0, "signals"))
    assert ConvolutionTheorem().check_given(given._replace(N=10)).verdict is Verdict.HOLDS
    assert ConvolutionTheorem().check_given(given._replace(N=9)).verdict is Verdict.INAPPLICABLE


def test_the_constant_of_the_self_dual_bump_is_one_over_pi():
    given = Squeezed(lambda w: torch.exp(-math.pi * w[:, 0] ** 2), 1.0)
    result = BarronScaling(a=1.0).check_given(given)
    assert result.predicted[0] == pytest.approx(1 / math.pi)


def test_two_opposite_atoms_have_error_one_over_k():
    """V is +1 or -1 with chance 1/2: X = 0 and k E |mean|^2 = 1."""
    drawn = torch.randint(2, (2000, 4), generator=generator(0, "coins"))
    result = MaureyLemma().check_given(Atoms(row(1.0, -1.0)[:, None], row(0.5, 0.5), drawn))
    assert result.predicted == (1.0,) and result.measured[0].value == pytest.approx(1.0, abs=0.1)


def test_the_mass_of_the_sine_is_four_and_its_error_is_seven_and_a_half():
    claim = SineThresholds()
    assert claim.predict(claim.given(generator(0, "sine"))) == pytest.approx(7.5, abs=1e-3)


def test_thresholds_of_the_notes_bump():
    bump = GaussianBump(row(0.0), 0.5, (2 / math.pi) ** 0.5)
    given = Thresholds(bump, bump, row(1.0), row(0.3, -0.8))
    result = BarronThresholds(d=1).check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx([-0.1314, -0.5760], abs=1e-4)


def test_the_mean_of_orthonormal_units_takes_most_of_the_greedy_bound():
    """Four units at four points: e_0 = 1/16, K = (25 + 3)/64, and one step leaves 1/16 - 1/64."""
    claim = BarronGreedy(n=4)
    result = claim.check_given(claim.tight())
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(1 / 16 - 1 / 64)
    assert result.predicted[0] == pytest.approx(1 / (16 + 64 / 28))


def test_one_unit_is_met_in_one_step():
    features = torch.eye(3, dtype=torch.float64)
    result = BarronGreedy(n=4).check_given(Hull(features, row(2.0, 0.0, 0.0), 2.0))
    assert result.verdict is Verdict.HOLDS
    assert max(m.value for m in result.measured) < 1e-12
