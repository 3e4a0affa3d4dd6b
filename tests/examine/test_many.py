"""Many checkpoints of one network."""

import json
from pathlib import Path

import pytest
import torch
from torch import nn

from corollary.cli.each import examine_files
from corollary.core import Evidence, Finding, Severity
from corollary.errors import InputError
from corollary.examine import many
from corollary.examine.examination import Examination
from corollary.examine.many import Examined, Series, examine_each, files_of
from corollary.report.series import series_page, series_text
from corollary.run.journal import Journal

NET = """
import torch
from torch import nn

def build():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
"""
ORDER = {"target": "net.py:build", "data": "two_moons", "effort": "quick", "budget": 300.0}
ORDER |= {"only": ["soundness/finite", "soundness/parameters"], "seed": 0, "samples": 64}


def an_examination(*titles):
    found = [
        Finding("soundness/finite", title, severity=Severity.HIGH, evidence=Evidence.CONFIRMED)
        for title in titles
    ]
    return Examination({"torch": "2"}, {"module": "Sequential"}, 60.0, tuple(found))


@pytest.fixture
def checkpoints(tmp_path, monkeypatch):
    """Three files; the last has a parameter that is not finite."""
    monkeypatch.chdir(tmp_path)
    Path("net.py").write_text(NET)
    net = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
    for step in (9, 10, 20):
        if step == 20:
            nn.init.constant_(net[0].weight, float("nan"))
        torch.save(net.state_dict(), f"step{step}.pt")
    return files_of("step*.pt")


@pytest.fixture
def known(monkeypatch):
    """Examinations without a process: the third is sick. Gives the weights that were asked for."""
    asked = []

    def answer(order, *_):
        asked.append(Path(order["weights"]).name)
        return an_examination(*(["NaN"] if asked[-1] == "step20.pt" else []))

    monkeypatch.setattr(many, "examine_in_child", answer)
    return asked


def test_files_come_in_the_order_of_their_numbers(checkpoints):
    assert [file.name for file in checkpoints] == ["step9.pt", "step10.pt", "step20.pt"]


def test_a_pattern_without_files_is_told():
    with pytest.raises(InputError, match="no file that matches 'none/"):
        files_of("none/*.pt")


def test_the_table_says_what_changed_and_which_is_sick(checkpoints, known):
    series = examine_each(ORDER, checkpoints)
    text = series_text(series)
    assert "step10.pt to step20.pt:\n  new: NaN (high)" in text
    assert text.endswith("Checkpoints to look at: step20.pt (1 of 3).")
    assert "new: NaN (high)" in series_page(series)


def test_an_interrupted_run_continues(checkpoints, known, tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.append(Examined("step9.pt", an_examination()))
    series = examine_each(ORDER, checkpoints, journal=journal)
    assert known == ["step10.pt", "step20.pt"]
    assert [row.name for row in series.rows] == ["step9.pt", "step10.pt", "step20.pt"]


def test_a_checkpoint_that_does_not_fit_is_a_row(checkpoints, monkeypatch):
    def refuse(order, *_):
        raise InputError("the weights do not fit")

    monkeypatch.setattr(many, "examine_in_child", refuse)
    series = examine_each(ORDER, checkpoints[:1])
    assert series.rows[0].sick
    assert "not examined: the weights do not fit" in series_text(series)


def test_records_go_to_json_and_back():
    row = Examined("a.pt", an_examination("NaN"))
    assert Examined.from_json(json.loads(json.dumps(row.to_json()))) == row
    assert json.dumps(Series("net.py:build", (row,)).to_json())


def test_the_command_writes_table_page_and_file(checkpoints, known, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COROLLARY_CACHE", str(tmp_path / "cache"))
    out, file = tmp_path / "page.html", tmp_path / "all.json"
    assert examine_files(ORDER, "step*.pt", 1, out, file, None) == 0
    assert examine_files(ORDER, "step*.pt", 1, None, None, "high") == 1
    assert "Checkpoints to look at: step20.pt" in capsys.readouterr().out
    assert len(json.loads(file.read_text())["rows"]) == 3
    assert out.read_text().startswith("<!doctype html>")


def as_bytes(series):
    return json.dumps(series.to_json(), sort_keys=True)


@pytest.mark.slow
def test_processes_give_the_same_bytes_as_one(checkpoints):
    alone = as_bytes(examine_each(ORDER, checkpoints))
    assert as_bytes(examine_each(ORDER, checkpoints, jobs=2)) == alone
