"""The claims on recurrence by hand, with broken suppositions, and drawn."""

import pytest
import torch

from corollary.claims.sequences.bounded_response import BoundedResponse
from corollary.claims.sequences.bounded_response import Given as Driven
from corollary.claims.sequences.bptt import Bptt
from corollary.claims.sequences.bptt import Given as Unrolled
from corollary.claims.sequences.constant_error_carousel import ConstantErrorCarousel
from corollary.claims.sequences.diagonal_recurrence import DiagonalRecurrence
from corollary.claims.sequences.diagonal_recurrence import Given as Dense
from corollary.claims.sequences.gru_convexity import GruConvexity
from corollary.claims.sequences.long_lag import LongLag
from corollary.claims.sequences.mingru_scan import MingruScan
from corollary.claims.sequences.orthogonal_recurrence import Given as Turned
from corollary.claims.sequences.orthogonal_recurrence import OrthogonalRecurrence
from corollary.claims.sequences.prefix_scan import Given as Steps
from corollary.claims.sequences.prefix_scan import PrefixScan, slipped
from corollary.claims.sequences.reversal_alignment import ReversalAlignment
from corollary.claims.sequences.scan_depth import ScanDepth
from corollary.claims.sequences.sequence_probabilities import SequenceProbabilities
from corollary.claims.sequences.stable_spectrum import Given as Spectrum
from corollary.claims.sequences.stable_spectrum import StableSpectrum
from corollary.claims.sequences.state_gradient_bound import Given as Recurrent
from corollary.claims.sequences.state_gradient_bound import StateGradientBound
from corollary.claims.sequences.translation_bottleneck import TranslationBottleneck
from corollary.core import Verdict, generator
from corollary.theory.networks.activations import HYPERBOLIC
from corollary.theory.sequences.scan import compose
from corollary.theory.sequences.stable_eigenvalues import stable_eigenvalues
from corollary.theory.sequences.state_jacobians import state_jacobians


def tensor(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


def values(result):
    return [m.value for m in result.measured]


def test_two_steps_of_backpropagation_by_hand():
    """At x = 0 all states are 0 and tanh has slope 1: dz_1 = w (0 - y_1) + u w (0 - y_2)."""
    u, w, y = 0.5, 2.0, (1.0, 3.0)
    zero = tensor([0.0], [0.0])
    given = Unrolled(
        tensor([u]), tensor([1.0]), tensor([w]), zero, tensor([y[0]], [y[1]]), state_jacobians
    )
    result = Bptt().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert values(result) == pytest.approx([-w * y[0] - u * w * y[1], -w * y[1], 0.0])


def test_a_multiple_of_the_identity_at_rest_attains_the_bound():
    eye, x = torch.eye(3, dtype=torch.float64), torch.zeros(5, 1, dtype=torch.float64)
    given = Recurrent(0.8 * eye, eye[:, :1], x, HYPERBOLIC, 1.0)
    result = StateGradientBound().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert values(result) == pytest.approx([0.8**k for k in range(1, 6)])
    steep = given._replace(alpha=0.25)
    assert StateGradientBound().check_given(steep).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("phi", ["tanh", "sigmoid"])
@pytest.mark.parametrize("rate", [0.5, 1.0, 1.5])
def test_the_bound_holds_on_both_sides_of_the_threshold(phi, rate):
    result = StateGradientBound(phi=phi, rate=rate, m=4).check()
    assert result.verdict is Verdict.HOLDS


def test_a_large_singular_value_need_not_explode():
    """sigma_1 = 3, and the square is zero: the condition for explosion is not sufficient."""
    shift = tensor([0.0, 1.0], [0.0, 0.0])
    claim = OrthogonalRecurrence(steps=2, high=2.0)
    given = Turned(shift, tensor(3.0), torch.zeros(2, 2, dtype=torch.float64))
    assert claim.trial(given).measured == 0.0
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE


def test_gates_that_stay_open_carry_the_gradient_unchanged():
    result = ConstantErrorCarousel(T=100, remember=50.0).check()
    assert result.verdict is Verdict.HOLDS
    assert values(result) == pytest.approx([1.0] * 5, abs=1e-12)


def test_a_step_of_a_gru_never_overshoots():
    claim = GruConvexity(T=5)
    given = claim.given(generator(0, "cube"))
    result = claim.check_given(given)
    assert result.verdict is Verdict.HOLDS and max(values(result)) <= 1
    outside = given._replace(z0=given.z0 - 2.0)
    assert claim.check_given(outside).verdict is Verdict.INAPPLICABLE


def test_three_affine_steps_by_hand():
    """1, then 2 * 1 + 1 = 3, then -1 * 3 + 4 = 1."""
    given = Steps(tensor([5.0], [2.0], [-1.0]), tensor([1.0], [1.0], [4.0]), compose)
    result = PrefixScan().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert values(result) == [1.0, 3.0, 1.0] * 2
    assert PrefixScan().check_given(given._replace(law=slipped)).verdict is Verdict.INAPPLICABLE


def test_eight_elements_take_three_steps_or_five():
    assert values(ScanDepth(sizes=(8,)).check()) == [3, 17, 5, 11]


@pytest.mark.parametrize("method", ["sequential", "hillis_steele", "log"])
def test_every_scan_is_a_mingru(method):
    assert MingruScan(method=method).check().verdict is Verdict.HOLDS


def test_a_quarter_turn_by_hand():
    """(1, 0) turned four times is itself; each place is the sum of one impulse turned on."""
    A, B = tensor([0.0, -1.0], [1.0, 0.0]), tensor([1.0], [0.0])
    given = Dense(A, B, tensor([1.0], [0.0], [0.0], [0.0]))
    result = DiagonalRecurrence(m=2).check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert values(result) == [1, 0, 0, 1, -1, 0, 0, -1]
    jordan = given._replace(A=tensor([1.0, 1.0], [0.0, 1.0]))
    assert DiagonalRecurrence(m=2).check_given(jordan).verdict is Verdict.INAPPLICABLE


def test_huge_steps_stay_in_the_disc():
    nu, phi = torch.linspace(-3, 1, 5, dtype=torch.float64), torch.zeros(5, dtype=torch.float64)
    result = StableSpectrum(eta=10.0).check_given(Spectrum(nu, phi, stable_eigenvalues))
    assert result.verdict is Verdict.HOLDS


def test_a_constant_input_fills_a_geometric_series():
    """lambda = 1/2: states 1, 3/2, 7/4, ... below 2."""
    lam, u = torch.tensor([0.5 + 0j]).to(torch.complex128), torch.ones(3, 1).to(torch.complex128)
    claim = BoundedResponse(m=1)
    result = claim.check_given(Driven(lam, u))
    assert (values(result), result.predicted) == ([1.75], (2.0,))
    assert claim.check_given(Driven(2 * lam, u)).verdict is Verdict.INAPPLICABLE


def test_factors_that_are_no_distribution_are_outside_the_claim():
    claim = SequenceProbabilities(K=2, n=2)
    given = claim.given(generator(0, "factors"))
    assert values(claim.check_given(given))[0] == pytest.approx(1)
    loose = given._replace(factor=torch.sigmoid)
    assert claim.check_given(loose).verdict is Verdict.INAPPLICABLE


def test_without_training_the_experiments_do_not_apply():
    untrained = ReversalAlignment()
    given = untrained.given(generator(0, "untrained"))._replace(steps=0)
    assert untrained.check_given(given).verdict is Verdict.INAPPLICABLE
    shut = LongLag(remember=0.0)
    assert shut.check(0).verdict is Verdict.INAPPLICABLE


def test_the_bottleneck_needs_a_model_that_attends():
    claim = TranslationBottleneck(lengths=(1, 3), steps=2, runs=3)
    given = claim.given(generator(0, "bottleneck"))._replace(units=0)
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert claim.trial(given).measured[1].values == (0.0,) * 3  # the same models twice have no lead
