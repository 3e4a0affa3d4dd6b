"""Where a run left the finite numbers, and the step that is kept of it."""

import pytest
import torch
from torch import nn
from torch.optim import SGD

from corollary.errors import InputError, ResultsFileError
from corollary.watch.first_bad_value import first_bad_value
from corollary.watch.replay import read_step, replayed
from corollary.watch.watcher import watch


class Logs(nn.Module):
    """Takes a logarithm of what may be zero."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(2, 4), nn.Linear(4, 1)
        self.dropout = nn.Dropout(0.5)

    def forward(self, x):
        h = self.dropout(self.first(x)).abs()
        return self.last(torch.log(h + x.sum(1, keepdim=True)))


def broken_run(path, **options):
    torch.manual_seed(0)
    model = Logs()
    nn.init.zeros_(model.first.weight)
    nn.init.zeros_(model.first.bias)
    optimizer = SGD(model.parameters(), lr=1e-3)
    with watch(model, optimizer, to=path, quiet=True, **options) as watcher:
        for step in range(8):
            x = torch.ones(4, 2) if step < 5 else torch.zeros(4, 2)
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()
    return watcher


def test_the_operation_and_the_step_are_named(tmp_path, capsys):
    watcher = broken_run(tmp_path / "run.jsonl")
    event = next(e for e in watcher.events if e.cause == "loss/not_finite")
    assert event.step == 5
    assert "log gave inf from inputs with values 0" in event.finding.meaning


def test_a_kept_step_breaks_again_at_the_same_operation(tmp_path):
    broken_run(tmp_path / "run.jsonl")
    held = read_step(tmp_path / "run-step-5.pt")
    found = replayed(held, Logs())
    assert found.broken
    assert (found.step, found.forward.operation) == (5, "log")


def test_a_step_larger_than_its_limit_is_not_kept(tmp_path):
    broken_run(tmp_path / "run.jsonl", evidence=100)
    assert not list(tmp_path.glob("*.pt"))


def test_another_network_and_another_file_are_refused(tmp_path):
    broken_run(tmp_path / "run.jsonl")
    with pytest.raises(InputError, match="do not fit"):
        replayed(read_step(tmp_path / "run-step-5.pt"), nn.Linear(1, 1))
    (tmp_path / "other.pt").write_text("no")
    with pytest.raises(ResultsFileError, match="cannot be read"):
        read_step(tmp_path / "other.pt")


def test_the_layer_of_an_operation_is_named():
    model = nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.Tanh(), nn.Hardshrink()))
    with torch.no_grad():
        model[0].weight.fill_(3e38)
        model[0].bias.fill_(0.0)
    found = first_bad_value(model, lambda: model(torch.full((1, 1), 1e3)))
    assert found.layer == "0"


def test_finite_passes_have_no_bad_value():
    model = nn.Linear(2, 1)
    assert first_bad_value(model, lambda: model(torch.ones(1, 2))) is None


def test_a_gradient_that_is_not_finite_is_found_before_the_step(tmp_path):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
    optimizer = SGD(model.parameters(), lr=0.01)
    with watch(model, optimizer, to=None, quiet=True) as watcher:
        for step in range(4):
            x = torch.randn(4, 2)
            gap = (model(x) - model(x if step == 3 else x + 1)).square().sum(1).sqrt().mean()
            optimizer.zero_grad()
            gap.backward()
            optimizer.step()
    event = next(e for e in watcher.events if e.cause == "gradient/not_finite")
    assert (event.step, event.finding.where) == (3, "2.bias")
