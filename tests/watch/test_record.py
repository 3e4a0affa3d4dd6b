"""The record of a run: written, read back, shown as text and as a page."""

import json
import re
import sys
from types import ModuleType

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from typer.testing import CliRunner

from corollary.cli import app
from corollary.errors import ResultsFileError
from corollary.report.watch_page import figures, headline, watch_page
from corollary.watch.record import read_run
from corollary.watch.sinks.notebook import Notebook
from corollary.watch.watcher import watch


def trained(path, steps=30, step=0, broken=True):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    with watch(model, optimizer, to=path, step=step, overhead=1.0, quiet=True) as watcher:
        for _ in range(steps):
            x, y = torch.randn(16, 4), torch.randint(0, 2, (16,))
            if not broken:
                optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        watcher.held_out(0.7)
    return watcher


def test_losses_readings_and_events_come_back(tmp_path):
    watcher = trained(tmp_path / "run.jsonl")
    run = read_run(tmp_path / "run.jsonl")
    assert run.ended and run.steps == 30
    assert run.losses.values == pytest.approx(watcher._loop.loss_values())
    assert run.series["stability"].readings[-1] == watcher.readings["stability"]
    assert [e.cause for e in run.events] == [e.cause for e in watcher.events]
    assert set(run.rates.values) == {0.05}


def test_every_line_is_strict_json(tmp_path):
    trained(tmp_path / "run.jsonl")
    for line in (tmp_path / "run.jsonl").read_text().splitlines():
        json.loads(line, parse_constant=lambda word: pytest.fail(word))


def test_a_resumed_run_goes_on_in_the_same_file(tmp_path):
    trained(tmp_path / "run.jsonl", broken=False)
    trained(tmp_path / "run.jsonl", steps=10, step=30, broken=False)
    run = read_run(tmp_path / "run.jsonl")
    assert run.losses.steps == list(range(40)) and run.steps == 40


def test_a_run_that_was_cut_off_is_read_as_far_as_it_is_there(tmp_path):
    trained(tmp_path / "run.jsonl")
    text = (tmp_path / "run.jsonl").read_text()
    (tmp_path / "cut.jsonl").write_text(text[: len(text) // 2])
    assert not read_run(tmp_path / "cut.jsonl").ended


def test_all_processes_of_a_run_are_in_one_report(tmp_path, monkeypatch):
    trained(tmp_path / "run.jsonl", broken=False)
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    trained(tmp_path / "run.jsonl", broken=True)
    run = read_run(tmp_path / "run.jsonl")
    assert run.ranks == 2
    assert "loop/zero_grad_missing" in {e.cause for e in run.events}


def test_other_files_are_refused_in_one_sentence(tmp_path):
    (tmp_path / "other.jsonl").write_text('{"kind": "results"}\n')
    with pytest.raises(ResultsFileError, match="record of a watched run"):
        read_run(tmp_path / "other.jsonl")
    with pytest.raises(ResultsFileError, match="cannot be read"):
        read_run(tmp_path / "none.jsonl")


def test_files_of_long_runs_stay_small(tmp_path):
    from corollary.watch.sinks.json_lines import JsonLines
    from corollary.watch.writing import Writer

    writer = Writer([JsonLines(tmp_path / "run.jsonl")])
    for step in range(100_000):
        writer.step(step, 1.0, 0.1)
    writer.end(100_000, 1.0, [], [])
    assert (tmp_path / "run.jsonl").stat().st_size < 1_000_000


def test_a_sink_that_fails_is_left_out_and_the_run_goes_on(tmp_path):
    class Full:
        def write(self, line):
            raise OSError("no space left")

        def close(self):
            pass

    torch.manual_seed(0)
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watch(model, optimizer, to=Full(), quiet=True) as watcher:
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
    assert watcher.step == 1 and "no space left" in watcher.writer.lost[0]


def test_the_page_has_the_causes_first_and_a_figure_for_each_curve(tmp_path):
    trained(tmp_path / "run.jsonl")
    run = read_run(tmp_path / "run.jsonl")
    page = watch_page(run)
    assert headline(run).endswith("1 thing to fix")
    assert page.index("Gradients are not cleared") < page.index("Measurements at each step")
    assert len(re.findall(r"<svg[^>]*class=.figure", page)) == len(figures(run))
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_the_command_writes_the_page_prints_text_and_fails_on_request(tmp_path):
    trained(tmp_path / "run.jsonl")
    record = str(tmp_path / "run.jsonl")
    done = CliRunner().invoke(app, ["watch", record])
    assert done.exit_code == 0 and (tmp_path / "run.html").exists()
    text = CliRunner().invoke(app, ["watch", record, "--text", "--fail-on", "high"])
    assert text.exit_code == 1 and "zero_grad()" in text.output


def test_a_kept_step_is_replayed_from_the_command_line(tmp_path):
    (tmp_path / "net.py").write_text(
        "import torch\n"
        "class Root(torch.nn.Linear):\n"
        "    def forward(self, x):\n"
        "        return super().forward(x).sqrt()\n"
        "def build():\n"
        "    net = Root(1, 1)\n"
        "    torch.nn.init.constant_(net.weight, 1.0)\n"
        "    torch.nn.init.zeros_(net.bias)\n"
        "    return net\n"
    )
    from corollary.examine.modules import load_module

    model, _ = load_module(f"{tmp_path}/net.py:build")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    with watch(model, optimizer, to=tmp_path / "run.jsonl", quiet=True):
        model(torch.full((2, 1), -1.0)).sum().backward()
    asked = ["replay", str(tmp_path / "run-step-0.pt"), "--model", f"{tmp_path}/net.py:build"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 1 and "sqrt gave nan" in done.output


def test_a_notebook_shows_one_figure_and_draws_it_again(monkeypatch):
    drawn = []

    class Handle:
        def update(self, run):
            drawn.append(run._repr_html_())

    def display(run, display_id):
        drawn.append(run._repr_html_())
        return Handle()

    shown = ModuleType("IPython.display")
    shown.display = display
    monkeypatch.setitem(sys.modules, "IPython.display", shown)
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    notebook = Notebook(every=0.0)
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watch(model, optimizer, to=notebook, quiet=True):
        for _ in range(4):
            model(torch.ones(3, 2)).square().mean().backward()  # never cleared
            optimizer.step()
    assert len(drawn) >= 2
    assert "Gradients are not cleared" in drawn[-1] and "<svg" in drawn[-1]
    assert "4 steps" in drawn[-1]
