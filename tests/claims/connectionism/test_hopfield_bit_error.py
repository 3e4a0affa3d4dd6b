import pytest

from corollary.claims.connectionism.hopfield_bit_error import HopfieldBitError
from corollary.core import Verdict


def test_the_share_of_unstable_bits_is_the_closed_form():
    result = HopfieldBitError().check(11, draw=False)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[-1] == pytest.approx(0.0339, abs=1e-4)


def test_with_the_diagonal_the_notes_keep_there_are_far_fewer_errors():
    refuted = HopfieldBitError(n=1000).refute(0)
    assert refuted.fails
    assert refuted.measured[-1].value < 0.5 * refuted.predicted[-1]


def test_the_integral_as_printed_would_be_rejected():
    claim = HopfieldBitError(n=1000, loads=(0.3,), networks=16)
    measured = claim.trial(claim.draw(0)).measured
    assert claim.relation.compare([0.0466], measured).verdict is Verdict.FAILS
    assert claim.relation.compare([0.0339], measured).verdict is Verdict.HOLDS
