import math

import pytest

from corollary.claims.sequences.wide_beam import WideBeam, notes
from corollary.core import Verdict


def test_a_beam_of_one_misses_the_best_of_the_notes_example():
    claim = WideBeam()
    given = notes(claim.draw(0))
    assert math.exp(claim.predict(given)) == pytest.approx(0.28)
    assert math.exp(claim.measure(given)) == pytest.approx(0.20)
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE


def test_six_prefixes_are_enough_for_it():
    claim = WideBeam()
    given = notes(claim.draw(0))._replace(width=6)
    result = claim.check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert math.exp(result.measured[0].value) == pytest.approx(0.28)
