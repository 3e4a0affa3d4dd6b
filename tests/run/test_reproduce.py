import json
import math

import pytest

from corollary.core import Experiment, Outcome, Published, Row
from corollary.core import experiment as experiment_module
from corollary.registry import experiments, find_experiment
from corollary.run import reproduction as record
from corollary.run.journal import Journal
from corollary.run.reproduce import reproduce
from corollary.run.reproduction import Job, Reproduction


class Coin(Experiment):
    n: int = 100  # tosses
    fail: int = 2  # seed that fails, counted from 1; 100 for none

    metric = "heads in %"
    rows = (
        Row("fair", Published(50.0, "Bernoulli (1713)"), fail=100),
        Row("twice as many", Published(50.0, "Bernoulli (1713)", differs="more tosses"), n=200),
    )
    seeds = 3
    quick = {"n": 10}

    def run(self, seed):
        if seed + 1 == self.fail:
            raise ValueError("the coin is lost")
        return Outcome(49.0 + seed, numbers={"tosses": float(self.n)}, text="heads, tails")


class Entry:
    name, stem, area, title = "coins/coin", "coin", "coins", "A coin"

    def load(self):
        return Coin


@pytest.fixture
def entry(monkeypatch):
    monkeypatch.setattr(record, "find_experiment", lambda name: Entry())
    return Entry()


def test_every_row_runs_at_every_seed_and_a_failure_is_a_line(entry):
    fair, twice = reproduce([entry]).lines()
    assert fair.values == [49.0, 50.0, 51.0] and fair.ours.value == 50.0
    assert fair.verdict == "reached"
    assert twice.verdict == "ValueError: the coin is lost"


def test_a_figure_below_the_interval_is_not_reached(entry):
    jobs = tuple(Job("coins/coin", "fair", seed, 40 + seed / 100) for seed in range(3))
    (line,) = Reproduction({}, False, jobs).lines()
    assert line.verdict == "not reached"


def test_two_seeds_give_no_verdict_and_the_mean_is_told_apart_from_the_interval(entry):
    jobs = tuple(Job("coins/coin", "fair", seed, 49.0 + seed / 2) for seed in range(3))
    (two,) = Reproduction({}, False, jobs[:2]).lines()
    (three,) = Reproduction({}, False, jobs).lines()
    assert not two.judged and "fewer than 3" in two.verdict
    assert three.verdict == "reached" and not three.surpassed


def test_an_exact_value_is_missed_on_both_sides(entry, monkeypatch):
    monkeypatch.setattr(Coin, "better", "equal")
    for centre, verdict in ((40, "not reached"), (50, "reached"), (60, "not reached")):
        jobs = tuple(Job("coins/coin", "fair", s, centre - 0.1 + s / 10) for s in range(3))
        (line,) = Reproduction({}, False, jobs).lines()
        assert line.verdict == verdict


def test_another_setting_is_named_and_not_judged(entry):
    jobs = tuple(Job("coins/coin", "twice as many", seed, 40.0 + seed) for seed in range(3))
    (line,) = Reproduction({}, False, jobs).lines()
    assert line.verdict == "other setting: more tosses"


def test_a_quick_run_is_small_and_has_no_verdict(entry):
    fair, _ = reproduce([entry], quick=True).lines()
    assert fair.jobs[0].numbers == {"tosses": 10.0} and fair.verdict == ""


def test_an_interrupted_run_goes_on_to_the_same_values(entry, tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    whole = reproduce([entry])
    for job in whole.jobs[:2]:
        journal.append(job)
    made = []
    again = reproduce([entry], journal=journal, progress=made.append)
    assert len(made) == len(whole.jobs) - 2
    assert [job.value for job in again.jobs if not job.error] == [
        job.value for job in whole.jobs if not job.error
    ]


def test_a_run_file_comes_back_as_it_was(entry):
    done = Reproduction({"torch": "2"}, False, (Job("coins/coin", "fair", 0, math.inf),))
    assert Reproduction.from_json(json.loads(json.dumps(done.to_json()))) == done


def test_every_experiment_of_the_catalogue_names_its_source_and_settings():
    assert experiments()
    for entry in experiments():
        kind = entry.load()
        assert entry.source and entry.cost and kind.metric and kind.rows
        for row in kind.rows:
            kind.of_row(row.name)
            kind.of_row(row.name, quick=True)


def test_an_unknown_experiment_gets_the_nearest_names():
    with pytest.raises(Exception, match="did you mean gcn"):
        find_experiment("gnc")


def test_an_experiment_is_a_frozen_dataclass():
    assert experiment_module.Experiment in Coin.__mro__
    with pytest.raises(AttributeError):
        Coin().n = 3
