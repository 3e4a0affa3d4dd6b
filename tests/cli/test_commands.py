import json
import sys

import pytest
from typer.testing import CliRunner

from corollary.cli import app, main
from corollary.registry import entries


@pytest.fixture
def call(monkeypatch, capsys):
    """Run a command line as the shell would: exit code, stdout, stderr."""

    def run(*words):
        monkeypatch.setattr("sys.argv", ["corollary", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        return stop.value.code or 0, out, err

    return run


def test_list_shows_every_entry_and_filters(call):
    code, out, _ = call("list", "--json")
    assert code == 0 and len(json.loads(out)) == len(entries())
    code, out, _ = call("list", "novikoff", "--area", "connectionism")
    assert code == 0 and "novikoff" in out


def test_the_list_of_areas_fits_a_screen_and_one_area_is_a_line_per_entry(call, monkeypatch):
    code, out, _ = call("list")
    assert code == 0 and len(out.splitlines()) <= 30  # 24 areas and questions, head and foot
    for area in {entry.area for entry in entries()}:
        assert area in out
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setenv("TERM", "dumb")
    code, out, _ = call("list", "--area", "kernels")
    count = sum(entry.area == "kernels" for entry in entries())
    assert code == 0 and len(out.splitlines()) == count + 3 and "to be necessary" in out


def test_the_map_names_where_results_live(call):
    code, out, _ = call("list", "--map", "--json")
    places = {row["result"]: row["module"] for row in json.loads(out)}
    assert code == 0 and "novikoff-perceptron-bound" in places


def test_show_explains_a_claim(call):
    code, out, _ = call("show", "novikoff")
    assert code == 0
    for part in ("Assumptions", "--gamma", "Novikoff (1962)", "Last verdict"):
        assert part in out


def test_show_tells_the_last_verdict(call):
    call("check", "novikoff", "--gamma", "0.3")
    assert "holds: measured" in call("show", "novikoff")[1]


def test_check_takes_parameters_and_writes_results_and_report(call, tmp_path):
    code, out, _ = call(
        "check",
        "novikoff",
        "--gamma",
        "0.2",
        "--n=50",
        "--json",
        tmp_path / "r.json",
        "--report",
        tmp_path / "r.html",
    )
    assert code == 0 and "✓ holds" in out
    result = json.loads((tmp_path / "r.json").read_text())["results"][0]
    assert (result["parameters"]["gamma"], result["parameters"]["n"]) == (0.2, 50)
    assert "novikoff" in (tmp_path / "r.html").read_text()


def test_results_can_go_to_stdout_as_pure_json(call):
    code, out, _ = call("check", "novikoff", "--json", "-")
    assert code == 0 and json.loads(out)["results"][0]["verdict"] == "holds"


def test_report_makes_a_page_or_text_of_results(call, tmp_path):
    call("check", "novikoff", "--json", tmp_path / "r.json")
    assert call("report", tmp_path / "r.json")[0] == 0
    assert (tmp_path / "r.html").exists()
    code, out, _ = call("report", tmp_path / "r.json", "--text")
    assert code == 0 and "novikoff" in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["check", "novikof"], "did you mean novikoff"),
        (["show", "nothing-like-it-at-all"], "there is no claim called"),
        (["check", "novikoff", "--gamma", "big"], "--gamma needs a number, got 'big'"),
        (["check", "novikoff", "--gamma", "7"], "gamma must"),
        (["check", "novikoff", "--n", "2.5"], "--n needs a whole number"),
        (["check", "novikoff", "--gama", "0.1"], "no.* option 'gama'"),
        (["check", "novikoff", "--gamma"], "expected a value after --gamma"),
        (["check", "--area", "conectionism"], "did you mean connectionism"),
        (["check", "--suite", "fast"], "there is no suite called 'fast'"),
        (["check", "novikoff", "--report", "/proc/nowhere/r.html"], "cannot be written"),
        (["check", "novikoff", "--json", "/"], "cannot be written"),
        (["report", "missing.json"], "cannot be read"),
        (["list", "--area", "nowhere"], "there is no area called"),
    ],
)
def test_a_mistake_gets_one_sentence_and_exit_code_2(call, words, sentence):
    import re

    code, _, err = call(*words)
    assert code == 2
    assert re.search(sentence, err) and "Traceback" not in err
    assert len(err.strip().splitlines()) == 1


def test_a_failed_report_leaves_the_old_one(call, tmp_path):
    page = tmp_path / "r.html"
    page.write_text("old")
    (tmp_path / "bad.json").write_text("{")
    assert call("report", tmp_path / "bad.json", "--out", page)[0] == 2
    assert page.read_text() == "old"


def test_completion_offers_names():
    result = CliRunner().invoke(
        app,
        [],
        prog_name="corollary",
        env={
            "_COROLLARY_COMPLETE": "complete_bash",
            "COMP_WORDS": "corollary show novi",
            "COMP_CWORD": "2",
        },
    )
    assert "novikoff" in result.stdout


@pytest.fixture
def diverging(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    (tmp_path / "net_to_train.py").write_text(
        "from torch import nn\n\ndef build():\n    return nn.Linear(2, 2)\n"
    )
    return (
        "train",
        "net_to_train.py:build",
        "--data",
        "two_moons",
        "--lr",
        "1e38",
        "--steps",
        "20",
    )


def test_training_that_diverges_ends_in_a_table_and_files_and_is_not_refuted(call, diverging):
    code, out, err = call(*diverging, "--json", "t.json", "--plot", "t.svg", "--out", "w.st")
    assert code == 3 and "held out" in out and "inf" in out and "Traceback" not in err
    with open("t.json") as file:
        assert json.load(file)["learned"]["loss"] is None
    with open("t.svg") as file:
        assert "</svg>" in file.read()


def test_trained_weights_are_kept_elsewhere_when_the_disk_is_full(call, diverging, monkeypatch):
    from safetensors import SafetensorError
    from safetensors import torch as saving
    from safetensors.torch import load_file

    whole = saving.save_model

    def full(model, name):
        if "here.st" in name:
            raise SafetensorError("I/O error: No space left on device")
        whole(model, name)

    monkeypatch.setattr(saving, "save_model", full)
    code, out, err = call(*diverging[:-4], "--lr", "0.1", "--steps", "2", "--out", "out/here.st")
    assert code == 2 and "held out" in out and err.count("\n") <= 2
    place = err.split("the weights are in ")[1].strip()
    assert "No space left" in err and set(load_file(place)) == {"weight", "bias"}


def test_a_cache_that_cannot_be_written_costs_one_warning(call, monkeypatch):
    monkeypatch.setenv("COROLLARY_CACHE", "/proc/corollary")
    code, out, err = call("check", "novikoff", "xor")
    assert code == 0 and "2 hold" in out
    assert err.count("\n") == 1 and "cannot be resumed" in err


def test_one_claim_is_shown_with_prediction_counterexample_picture_and_what_next(call):
    code, out, _ = call("check", "novikoff")
    assert code == 0
    for part in (
        "✓ holds  Perceptron convergence", "(R/γ)² = 100", "mistakes M = 15 (≤ predicted)",
        "One point has both labels: the mistakes never end", "Perceptron mistakes",
        "corollary check novikoff --gamma 0.05",
    ):  # fmt: skip
        assert part in out
    assert sum("\u2800" < sign <= "\u28ff" for sign in out) > 60
    assert max(map(len, out.splitlines())) <= 100
