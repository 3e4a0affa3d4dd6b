import math

import hypothesis.strategies as st
from hypothesis import given

from corollary.report.ticks import labels, linear_ticks, log_ticks

ordinary = st.floats(-1e12, 1e12)


@given(ordinary, st.floats(1e-6, 1e12))
def test_linear_ticks_lie_in_the_range_and_are_few(low, span):
    ticks = linear_ticks(low, low + span)
    slack = 1e-6 * max(abs(low), span)
    assert 1 <= len(ticks) <= 21
    assert all(low - slack <= t <= low + span + slack for t in ticks)
    assert len(labels(ticks)) == len(ticks)


@given(st.floats(-300, 300), st.floats(0.001, 20))
def test_log_ticks_are_positive_and_grow(start, decades):
    low, high = 10**start, 10 ** min(start + decades, 307)
    ticks, small = log_ticks(low, high)
    assert all(t > 0 for t in ticks + small)
    assert ticks == sorted(ticks) and all(map(math.isfinite, ticks))
    assert len(labels(ticks, log=True)) == len(ticks)


def test_labels_of_one_axis_are_told_apart():
    for low, high in [(0, 1), (0.99, 1.01), (-3e-7, 4e-7), (1e6, 5e6), (100, 120)]:
        written = labels(linear_ticks(low, high))
        assert len(set(written)) == len(written) > 2
