from corollary.claims.prerequisites.compact_interval import CompactInterval, Given, covers
from corollary.core import Verdict
from corollary.theory.prerequisites.topology import Interval


def test_one_long_interval_wins_over_three_short_ones():
    short = ((-0.1, 0.4), (0.3, 0.7), (0.6, 1.1))
    for intervals, fewest in ((short, 3), ((*short, (-0.2, 1.2)), 1)):
        result = CompactInterval().check_given(Given(Interval(0, 1), intervals))
        assert result.verdict is Verdict.HOLDS and result.predicted == (fewest,)


def test_intervals_that_only_touch_leave_a_hole():
    assert not covers(Interval(0, 1), ((-1.0, 0.5), (0.5, 2.0)))
    assert not covers(Interval(0, 1), ((0.0, 2.0),))
    assert covers(Interval(0, 1, low_in=False), ((0.0, 2.0),))
    given = Given(Interval(0, 1), ((-1.0, 0.5), (0.5, 2.0)))
    assert CompactInterval().check_given(given).verdict is Verdict.INAPPLICABLE
