"""What is said of loops with a mistake, and that it is not said of the same loop without it."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from corollary.core import Severity
from corollary.watch.watcher import watch


@pytest.fixture(autouse=True)
def same_numbers():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def mlp(dropout=0.0):
    return nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Dropout(dropout), nn.Linear(16, 3))


def data(n=32):
    return torch.randn(n, 4), torch.randint(0, 3, (n,))


def causes(watcher):
    return {event.cause: event for event in watcher.events}


def test_gradients_that_are_never_cleared_are_told_at_the_third_step():
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.01)
    with watch(model, optimizer, to=None, quiet=True) as watcher:
        for _ in range(4):
            x, y = data()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    event = causes(watcher)["loop/zero_grad_missing"]
    assert (event.step, event.severity) == (2, Severity.HIGH)


@pytest.mark.parametrize("clear", ["optimizer", "zeros", "model", "by hand"])
def test_every_way_to_clear_is_seen(clear):
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.01)

    def cleared():
        if clear == "by hand":
            for p in model.parameters():
                p.grad = None
        elif clear == "model":
            model.zero_grad()
        else:
            optimizer.zero_grad(set_to_none=clear == "optimizer")

    with watch(model, optimizer, to=None, quiet=True) as watcher:
        for _ in range(6):
            x, y = data()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
            cleared()
    assert "loop/zero_grad_missing" not in causes(watcher)
    assert "loop/zero_grad_before_step" not in causes(watcher)


def test_an_event_passes_when_it_is_no_longer_seen():
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.001)
    with watch(model, optimizer, to=None, quiet=True) as watcher:
        for step in range(80):
            x, y = data()
            if step > 10:
                optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    assert causes(watcher)["loop/zero_grad_missing"].passed is not None


def test_gradients_cleared_before_the_step_are_told():
    model = mlp()
    optimizer = Adam(model.parameters())
    with watch(model, optimizer, to=None, quiet=True) as watcher:
        for _ in range(3):
            x, y = data()
            F.cross_entropy(model(x), y).backward()
            optimizer.zero_grad()
            optimizer.step()
    assert "loop/zero_grad_before_step" in causes(watcher)


def test_two_networks_that_train_against_each_other_are_healthy():
    maker, judge = nn.Linear(2, 4), nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    ours, theirs = Adam(maker.parameters()), Adam(judge.parameters())
    both = nn.ModuleList([maker, judge])
    with watch(both, [ours, theirs], to=None, quiet=True) as watcher:
        for _ in range(40):
            fake = maker(torch.randn(16, 2))
            loss = judge(fake).mean() - judge(torch.randn(16, 4)).mean()
            theirs.zero_grad()
            loss.backward(retain_graph=True)  # reaches the maker too, and is cleared below
            theirs.step()
            ours.zero_grad()
            (-judge(maker(torch.randn(16, 2))).mean()).backward()
            ours.step()
    assert [e for e in watcher.events if e.severity.rank >= 2] == []


def test_a_loss_without_a_graph_is_told():
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.1)
    with watch(model, optimizer, to=None, quiet=True) as watcher:
        for _ in range(4):
            x, y = data()
            loss = torch.tensor(F.cross_entropy(model(x), y).item(), requires_grad=True)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert list(causes(watcher)) == ["loop/loss_detached"]


@pytest.mark.parametrize("kept", [True, False])
def test_losses_kept_with_their_graphs_are_told(kept):
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.01)
    total = 0.0
    with watch(model, optimizer, to=None, quiet=True) as watcher:
        for _ in range(60):
            x, y = data()
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss if kept else loss.item()
    assert ("loop/graph_kept" in causes(watcher)) is kept


@pytest.mark.parametrize("again", [True, False])
def test_evaluation_mode_left_on_is_told(again):
    model = mlp(dropout=0.5)
    optimizer = SGD(model.parameters(), lr=0.1)
    with watch(model, optimizer, to=None, quiet=True) as watcher:
        for _ in range(3):
            for _ in range(5):
                x, y = data()
                optimizer.zero_grad()
                F.cross_entropy(model(x), y).backward()
                optimizer.step()
            model.eval()
            if again:
                model.train()
    assert ("mode/eval_during_training" in causes(watcher)) is not again


def test_layers_without_a_mode_may_be_trained_in_any():
    model = mlp().eval()
    optimizer = SGD(model.parameters(), lr=0.1)
    with watch(model, optimizer, to=None, quiet=True) as watcher:
        for _ in range(8):
            x, y = data()
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    assert len(watcher.events) == 0


def test_training_the_last_layer_only_is_a_remark():
    model = mlp()
    optimizer = SGD(model[3].parameters(), lr=0.1)
    with watch(model, optimizer, to=None, quiet=True) as watcher:
        for _ in range(8):
            x, y = data()
            model.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    assert causes(watcher)["optimizer/missing_parameters"].severity is Severity.LOW


def test_a_consequence_is_a_remark_under_its_cause():
    model = mlp()
    optimizer = SGD(model.parameters(), lr=2.0)
    with watch(model, optimizer, to=None, quiet=True) as watcher:
        for _ in range(60):
            x, y = data()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    alarms = [e.cause for e in watcher.events if e.severity.rank >= 2]
    assert alarms == ["loop/zero_grad_missing"]
    assert any("symptom_of" in e.finding.details for e in watcher.events)


def test_optimizers_are_found_without_being_handed_over():
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.1)
    with watch(model, to=None, quiet=True) as watcher:
        for _ in range(5):
            x, y = data()
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    assert watcher.step == 5


def test_a_loss_handed_over_is_the_one_that_is_written():
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.1)
    with watch(model, optimizer, to=None, quiet=True) as watcher:
        for _ in range(3):
            x, y = data()
            grads = torch.autograd.grad(F.cross_entropy(model(x), y), list(model.parameters()))
            for p, g in zip(model.parameters(), grads, strict=True):
                p.grad = g
            watcher.loss(7.0)
            optimizer.step()
    assert watcher._loop.loss_values() == [7.0] * 3
