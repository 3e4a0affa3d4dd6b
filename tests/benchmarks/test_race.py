import gc
import json
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def no_collection(monkeypatch):
    """The heap of a test process is large, and each round would go through it."""
    monkeypatch.setattr(gc, "collect", lambda: 0)


@pytest.fixture
def race_module(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import race

    monkeypatch.setattr(race, "pin_to_one_core", lambda: None)  # the test process stays free
    yield race
    sys.modules.pop("race")


def work(size):
    return lambda: sum(range(size))


def test_more_work_takes_longer_and_ratios_are_relative_to_the_reference(race_module):
    found = race_module.race(
        "Sums",
        {"long": work(40_000), "short": work(1000)},
        reference="long",
        floor="short",
        rounds=3,
    )
    laps = {lap.name: lap for lap in found.laps}
    assert laps["long"].ratio == 1.0
    assert laps["short"].ratio > 5
    assert laps["short"].to_floor == 1.0
    assert laps["long"].to_floor == pytest.approx(laps["short"].ratio)
    assert laps["long"].seconds <= laps["long"].typical


def test_each_contender_has_its_turn_in_every_round(race_module, monkeypatch):
    monkeypatch.setattr(race_module, "SHORTEST", 0.0)
    calls = []
    contenders = {name: lambda name=name: calls.append(name) for name in "abc"}
    race_module.race("Turns", contenders, reference="a", rounds=3)
    rounds = "".join(calls)[6:]  # two runs each to warm up and to time
    assert rounds == "abc" + "bca" + "cab"


def test_a_very_slow_peer_runs_once(race_module, monkeypatch):
    calls = []
    monkeypatch.setattr(race_module, "_cpu_seconds", lambda run, runs: (run(), 20.0)[1])
    contenders = {name: lambda name=name: calls.append(name) for name in ("corollary", "peer")}
    found = race_module.race("Slow", contenders, reference="peer", rounds=3)
    assert calls == ["corollary", "peer", "corollary"]
    assert [lap.seconds for lap in found.laps] == [20, 20]


def test_an_unknown_reference_is_refused(race_module):
    with pytest.raises(ValueError, match="'c' is not among the contenders"):
        race_module.race("None", {"a": work(1)}, reference="c")


def test_the_numbers_are_written_as_json(race_module, monkeypatch, tmp_path, capsys):
    def sums():
        return race_module.race("Sums", {"a": work(10)}, reference="a", rounds=2, facts={"n": 10})

    target = tmp_path / "out.json"
    monkeypatch.setattr(sys, "argv", ["bench", "--json", str(target)])
    race_module.main(sums)
    record = json.loads(target.read_text(encoding="utf-8"))
    assert record["races"][0]["laps"][0]["name"] == "a"
    assert "torch" in record["environment"]["packages"]
    assert "Sums" in capsys.readouterr().out
