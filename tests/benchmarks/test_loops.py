import torch
from loops import HALVES
from loops.planted import Bug, tried
from torch import nn
from torch.optim import SGD


def test_names_differ_and_both_halves_are_large():
    names = [bug.name for half in HALVES.values() for bug in half]
    assert len(set(names)) == len(names) >= 45
    assert len(HALVES["second"]) >= 18
    assert all(bug.causes and "/" in cause for half in HALVES.values() for bug in half
               for cause in bug.causes)  # fmt: skip


def test_the_second_half_has_loops_of_both_trainers():
    names = [bug.name for bug in HALVES["second"]]
    for trainer in ("Lightning", "Trainer"):
        assert sum(name.startswith(trainer) for name in names) >= 4


def never_cleared(watch, broken):
    model = nn.Linear(2, 1)
    optimizer = SGD(model.parameters(), lr=0.1)
    watcher = watch(model, optimizer)
    for _ in range(8):
        if not broken:
            optimizer.zero_grad()
        model(torch.randn(4, 2)).square().mean().backward()
        optimizer.step()
    return watcher


def test_a_cause_may_be_named_by_a_pattern():
    assert tried(Bug("a", ("loop/zero_grad*",), never_cleared)).found
    assert not tried(Bug("b", ("clip/*",), never_cleared)).found


def test_a_watcher_that_the_loop_gives_back_is_read():
    def in_a_trainer(watch, broken):
        from corollary.watch.watcher import watch as watched

        return never_cleared(lambda *args: watched(*args, to=None, quiet=True), broken)

    assert tried(Bug("c", ("loop/zero_grad_missing",), in_a_trainer)).found
