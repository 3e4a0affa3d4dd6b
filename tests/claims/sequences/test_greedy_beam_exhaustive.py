import pytest

from corollary.claims.sequences.greedy_beam_exhaustive import Given, GreedyBeamExhaustive, crumbling
from corollary.core import Verdict
from corollary.theory.sequences.decoding.next_token import TokenTable

NOTES = TokenTable(
    {"A": 0.40, "B": 0.35, "C": 0.25}, {"A": {"A1": 0.50, "A2": 0.20}, "B": {"B1": 0.80}}
)


def test_the_example_of_the_notes():
    result = GreedyBeamExhaustive().check_given(Given(NOTES, 2, 2))
    assert result.verdict is Verdict.HOLDS
    assert [r.value for r in result.measured] == pytest.approx([0.20, 0.28])
    assert list(result.predicted) == pytest.approx([0.28, 0.28])


def test_over_three_steps_a_beam_of_two_can_be_worse_than_greedy():
    claim = GreedyBeamExhaustive()
    given = crumbling(claim.draw(0))
    (greedy, beam), (_, best) = claim.measure(given), claim.predict(given)
    assert (greedy, beam, best) == pytest.approx((0.16, 0.0175, 0.16))
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert "lost at step 2" in [h.detail for h in claim.hypotheses(given)]


def test_a_wider_beam_is_enough():
    claim = GreedyBeamExhaustive()
    given = crumbling(claim.draw(0))._replace(width=3)
    assert claim.check_given(given).verdict is Verdict.HOLDS
