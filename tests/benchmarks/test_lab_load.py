"""The load that is measured is a real one: requests are answered, and counted by kind."""

import pytest
from lab_load import ACTIONS, WITHIN, Tally, run_load, run_starve
from rich.console import Console

pytest.importorskip("uvicorn")
pytestmark = pytest.mark.slow


def test_a_small_load_is_answered_without_errors():
    record = run_load(Console(quiet=True), clients=8, seconds=8.0)
    assert record["errors"] == 0 and record["requests"] >= 8
    assert 0 < record["p95"] < 30  # a busy machine may take long


def test_short_claims_are_answered_beside_long_ones():
    took = run_starve(Console(quiet=True), times=3)["seconds"]
    assert sorted(took)[1] < 10 * WITHIN  # without a worker of their own: the time limit, 120 s


def test_percentiles_are_those_of_the_times():
    tally = Tally([k / 100 for k in range(1, 100)])
    assert tally.percentile(95) == pytest.approx(0.95)
    assert sum(share for share, _ in ACTIONS.values()) == 100
