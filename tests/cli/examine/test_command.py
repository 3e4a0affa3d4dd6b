"""The command as a user runs it: a process, its exit code, its two streams, its files."""

import json
import re
import time
from pathlib import Path

import pytest

from corollary.examine.examination import Examination

pytestmark = pytest.mark.budget(4)  # two processes that import torch: the command, and its child

QUICK = ("--only", "soundness/finite", "--budget", "20")


@pytest.mark.slow
def test_copies_and_children_of_the_users_code_end_with_it(examined):
    words = ("--data", "nets.py:data", *QUICK, "--json", "-")
    code, out, _ = examined("nets.py:Forks", *words)
    assert code == 0 and len(json.loads(out)["findings"]) == 1
    code, out, err = examined("nets.py:Leaves", *words)
    started = int(re.search("started ([0-9]+)", err).group(1))
    assert code == 0 and not _runs(started)


def _runs(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"  # dead, and only waiting for somebody to ask how it ended


def test_a_bad_target_is_one_sentence_of_the_command(examined):
    code, _, err = examined("nets.py:absent", *QUICK)
    assert code == 2 and "has no 'absent'" in err and err.count("\n") == 1


def test_what_a_model_prints_does_not_reach_stdout(examined):
    words = ("nets.py:Chatty", "--data", "nets.py:data", *QUICK, "--json", "-")
    code, out, err = examined(*words)
    assert code == 0 and Examination.from_json(json.loads(out)).subject["module"] == "Chatty"
    assert "hello from forward" in err


def test_a_child_that_dies_leaves_a_report_that_says_so(examined, tmp_path):
    words = ("nets.py:DiesLater", "--data", "nets.py:data", "--only", "soundness")
    code, out, err = examined(*words, "--out", tmp_path / "r.html", "--json", tmp_path / "r.json")
    done = Examination.from_json(json.loads((tmp_path / "r.json").read_text()))
    assert code == 3 and "cut short" in err and "cut short" in out
    assert "exit code 7" in done.findings[-1].meaning
    assert "cut short" in (tmp_path / "r.html").read_text()


def test_an_interruption_keeps_what_is_finished(examined, tmp_path):
    words = ("nets.py:Interrupted", "--data", "nets.py:data", "--only", "soundness")
    page, file = tmp_path / "r.html", tmp_path / "r.json"
    code, out, err = examined(*words, "--json", file, "--out", page)
    done = Examination.from_json(json.loads(file.read_text()))
    assert code == 130 and "cut short" in err and "Is it sound?" in out
    assert done.findings[-1].meaning.startswith("Interrupted") and len(done.findings) > 1
    assert "Interrupted" in page.read_text()


@pytest.mark.slow
def test_files_compare_and_exit_codes_are_as_promised(examined, tmp_path):
    bad, good = tmp_path / "bad.json", tmp_path / "good.json"
    code, out, _ = examined("nets.py:exploding", *QUICK, "--json", bad)
    assert code == 0 and "Is it sound?" in out
    code, _, _ = examined("nets.py:exploding", *QUICK, "--fail-on", "high")
    assert code == 1
    page = tmp_path / "r.html"
    words = ("nets.py:both", *QUICK, "--compare", bad, "--json", good, "--out", page)
    code, out, _ = examined(*words, "--fail-on", "low")
    assert code == 0 and "gone: " in out and f"Report: {page}" in out
    assert "since the earlier examination" in page.read_text() and "gone: " in page.read_text()
    assert json.loads(good.read_text())["schema"] == 1


@pytest.mark.slow
def test_the_demo_needs_nothing_and_its_report_is_small(examined, tmp_path):
    page = tmp_path / "r.html"
    words = ("--demo", "--lr", "0.1", "--batch-size", "32", "--out", page, "--json", "-")
    code, out, _ = examined(*words)
    done = Examination.from_json(json.loads(out))
    from corollary.examine.questions import chosen_exams

    assert code == 0 and {a.name for a in done.answers()} == {e.area for e in chosen_exams(None)}
    assert not [f.exam for f in done.findings if f.status == "failed"]
    assert page.stat().st_size < 1_500_000


def test_a_model_of_ours_is_read_from_its_file(examined, tmp_path):
    import torch

    from corollary.models.units import LinearUnit
    from corollary.train.saved import save_model

    path = tmp_path / "unit.safetensors"
    save_model(LinearUnit(2, rng=torch.Generator().manual_seed(0)), path, n=2)
    code, out, err = examined(path, "--data", "nets.py:doubles", *QUICK)
    assert code == 0 and "LinearUnit" in out, err


CNN = """
import torch
from torch import nn

def build():
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64 * 49, 312), nn.ReLU(), nn.Linear(312, 10),
    )
    rng = torch.Generator().manual_seed(1)
    y = torch.randint(10, (2048,), generator=rng)
    means = torch.randn(10, 1, 28, 28, generator=rng)
    return model, (means[y] + torch.randn(2048, 1, 28, 28, generator=rng), y)
"""


@pytest.mark.slow
def test_a_million_parameters_on_images_stay_within_budget_and_memory(folder, examined, tmp_path):
    import resource

    from corollary.examine.questions import chosen_exams

    (folder / "cnn.py").write_text(CNN)
    page, start = tmp_path / "r.html", time.monotonic()
    words = ("cnn.py:build", "--lr", "0.05", "--batch-size", "64", "--budget", "120s")
    code, out, _ = examined(*words, "--out", page, "--json", "-")
    took = time.monotonic() - start
    done = Examination.from_json(json.loads(out))
    assert code == 0 and done.subject["parameters"] > 1_000_000
    assert took < 120 + 30  # the budget, and two imports of torch on a busy machine
    assert not [f"{f.exam}: {f.meaning}" for f in done.findings if f.status == "failed"]
    assert {f.exam for f in done.findings} == {entry.name for entry in chosen_exams(None)}
    answered = {f.exam for f in done.findings if f.status != "not applicable"}
    assert answered >= {
        "soundness/finite",
        "soundness/head_and_loss",
        "soundness/labels",
        "trainability/signal_passage",
        "trainability/gradient_reach",
        "trainability/units",
        "trainability/largest_step",
        "trainability/trial_run",
    }
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 < 2 << 30
    assert page.stat().st_size < 1_500_000
