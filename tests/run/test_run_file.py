import json

import pytest

from corollary.core import Experiment, Outcome, Row
from corollary.core.figure import Curve, Figure
from corollary.errors import ResultsFileError
from corollary.run import reproduction as record
from corollary.run import run_file
from corollary.run.reproduce import reproduce
from corollary.run.reproduction import read_reproduction
from corollary.run.run_file import RunFile


class Dice(Experiment):
    sides: int = 6  # of the die

    metric = "points"
    rows = (Row("a die"), Row("a larger die", sides=20))
    seeds = 3
    quick = {"sides": 2}

    def run(self, seed):
        curve = Curve([seed / 3, 1.0])
        return Outcome(seed / 7 + self.sides, (Figure("f", x="", y="", marks=(curve,)),), "text")


class Entry:
    name, stem, area, title = "games/dice", "dice", "games", "Dice"
    kind = Dice

    def load(self):
        return self.kind


@pytest.fixture
def entry(monkeypatch):
    made = Entry()
    monkeypatch.setattr(record, "find_experiment", lambda name: made)
    monkeypatch.setattr(run_file, "experiments", lambda: [made])
    return made


def test_an_interrupted_run_ends_with_the_same_file_bit_for_bit(entry, tmp_path):
    whole, parts = tmp_path / "whole.json", tmp_path / "parts.json"
    reproduce([entry], journal=RunFile(whole))
    file = RunFile(parts)

    def interrupt(job):
        if len(file.done.jobs) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce([entry], journal=file, progress=interrupt)
    assert len(read_reproduction(parts).jobs) == 2
    reproduce([entry], journal=RunFile(parts))
    assert _without_times(parts) == _without_times(whole)
    assert len(_without_times(whole)["jobs"]) == 6


def _without_times(path):
    data = json.loads(path.read_text())
    for job in data["jobs"]:
        job["seconds"] = 0
    return data


def test_more_seeds_are_added_in_the_order_of_the_catalogue(entry, tmp_path):
    path = tmp_path / "runs.json"
    made = []
    for seeds in (1, 2, 1):
        reproduce([entry], seeds=seeds, journal=RunFile(path), progress=made.append)
    assert len(made) == 4
    jobs = read_reproduction(path).jobs
    assert [(job.row, job.seed) for job in jobs] == [
        ("a die", 0),
        ("a die", 1),
        ("a larger die", 0),
        ("a larger die", 1),
    ]


def test_a_row_whose_settings_changed_runs_again(entry, tmp_path, monkeypatch):
    path, made = tmp_path / "runs.json", []
    reproduce([entry], seeds=1, journal=RunFile(path))
    monkeypatch.setattr(Dice, "rows", (Row("a die", sides=8), Row("a larger die", sides=20)))
    reproduce([entry], seeds=1, journal=RunFile(path), progress=made.append)
    assert [job.row for job in made] == ["a die"]
    assert len(RunFile(path).done.jobs) == 2


def test_figures_are_kept_for_one_seed(entry, tmp_path):
    path = tmp_path / "runs.json"
    reproduce([entry], journal=RunFile(path))
    first, second, *_ = read_reproduction(path).jobs
    assert first.figures and first.text and not second.figures and not second.text


def test_runs_of_another_environment_or_size_are_refused(entry, tmp_path):
    path = tmp_path / "runs.json"
    reproduce([entry], seeds=1, journal=RunFile(path))
    with pytest.raises(ResultsFileError, match="expected runs at reduced size, got runs at full"):
        RunFile(path, quick=True)
    path.write_text(path.read_text().replace('"threads": ', '"threads": 7'))
    with pytest.raises(ResultsFileError, match="choose another file"):
        RunFile(path)
