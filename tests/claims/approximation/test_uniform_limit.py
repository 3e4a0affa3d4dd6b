import pytest

from corollary.claims.approximation.uniform_limit import UniformLimit
from corollary.core import Verdict


def test_the_kink_in_the_middle_is_missed_by_the_mean_distance_of_the_binomial():
    claim = UniformLimit()
    found = claim.trial(claim.tight())
    # the mean of |X/4 - 1/2| for four fair coins: (2·1/2 + 8·1/4) / 16
    assert found.measured[0] == pytest.approx(3 / 16)
    assert found.comparison.verdict is Verdict.HOLDS


def test_a_sequence_that_is_right_now_and_then_does_not_converge():
    first, second = UniformLimit().check(0).counterexamples
    assert first.fails and second.fails
    assert "do not stay small" in second.words


def test_errors_grow_with_the_slope():
    claim = UniformLimit(s=3.0)
    found = claim.trial(claim.tight())
    assert found.measured[0] == pytest.approx(9 / 16)
