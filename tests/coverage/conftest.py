"""Intervals are drawn many times; how often they contain the truth is compared with their level.

Each simulation runs twice: a thousand draws in `make check-full`, which prints one line for each
interval with its observed level, and fewer in every run of the tests.
"""

import math

import pytest

THOUSAND, FEW = 1000, 60
SLACK = 0.015  # by which a level may be missed: what is nominal has no need to be exact
DEVIATIONS = 4.0  # of a binomial share: chance is below this once in thirty thousand


@pytest.fixture(params=[FEW, pytest.param(THOUSAND, marks=pytest.mark.slow)], ids=["few", "all"])
def draws(request):
    return request.param


@pytest.fixture
def covers(draws, record_property):
    """Compare with the level whether each interval, one for each draw, contains the truth."""

    def check(name, level, contains):
        hits = [bool(inside) for inside in contains]
        assert len(hits) == draws
        share = sum(hits) / draws
        if draws == THOUSAND:
            line = f"coverage: {name}: {100 * share:.1f} % of {draws}, stated {100 * level:g} %"
            record_property("summary", line)
            assert share >= level - SLACK, line
        least = level - SLACK
        assert share >= least - DEVIATIONS * math.sqrt(least * (1 - least) / draws)

    return check
