import pytest

from corollary.claims.sequences.beam_keeps_finished import BeamKeepsFinished, Given, dropping
from corollary.core import Verdict


@pytest.mark.parametrize("width", [1, 2, 5])
def test_more_steps_change_nothing(width):
    result = BeamKeepsFinished(width=width, steps=9).check(0)
    assert result.verdict is Verdict.HOLDS
    best = 0.20 if width == 1 else 0.28
    assert [r.value for r in result.measured] == pytest.approx([best] * 8)


def test_the_search_of_the_listing_is_right_for_two_steps_and_empty_after():
    claim = BeamKeepsFinished(steps=4)
    given = Given(dropping, (2, 3, 4))
    assert claim.measure(given) == pytest.approx([0.28, 0.0, 0.0])
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
