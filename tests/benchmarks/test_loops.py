import re
from types import SimpleNamespace

import pytest
import torch
from loops import FIFTH, FOURTH, HALVES, THIRD
from loops.fifth import CORRECT
from loops.planted import Bug, tried
from loops.third.real import Ended, RealBug, moved, unwatched, weights
from torch import nn
from torch.optim import SGD


def test_names_differ_and_both_halves_are_large():
    names = [bug.name for half in HALVES.values() for bug in half]
    assert len(set(names)) == len(names) >= 45
    assert len(HALVES["second"]) >= 18
    named = HALVES["first"] + HALVES["second"]
    assert all(bug.causes and "/" in cause for bug in named for cause in bug.causes)


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


def test_real_bugs_have_sources_sentences_and_words():
    assert len(THIRD) >= 20
    assert len(FOURTH) >= 30
    assert len(FIFTH) >= 32
    for bug in THIRD + FOURTH + FIFTH:
        assert "https://" in bug.source, bug.name
        assert bug.what.endswith("."), bug.name
        assert bug.bad < bug.good, bug.name
        assert bug.causes, bug.name
        for words in bug.causes:
            assert words == words.lower(), bug.name
            assert all(len(word) >= 3 for word in words.split("|")), bug.name


@pytest.mark.parametrize("part", [THIRD, FOURTH, FIFTH], ids=["third", "fourth", "fifth"])
def test_real_bugs_have_loops_of_both_trainers(part):
    for trainer in ("Lightning", "Trainer"):
        assert sum(bug.name.startswith(trainer) for bug in part) >= 3


def test_sources_of_the_fifth_part_have_a_year():
    assert all(re.search(r" \(20\d\d\)$", bug.source) for bug in FIFTH)


@pytest.mark.slow
@pytest.mark.parametrize("loop", CORRECT, ids=lambda loop: loop.__name__)
def test_each_correct_loop_of_the_fifth_part_runs_without_a_watcher(loop):
    given = []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        loop(lambda model, optimizer: given.append(weights(model)) or given.append(model))
    before, model = given
    assert weights(model).isfinite().all()
    assert moved(model, before) > 0.1


def event(cause, meaning):
    return SimpleNamespace(
        cause=cause, finding=SimpleNamespace(title="", meaning=meaning, advice="")
    )


def test_words_of_a_real_bug_are_looked_for_in_what_is_said():
    words = ("learning rate", "too small|tiny")
    bug = RealBug("d", "https://example.org", "A bug.", words, never_cleared, 0, 1)
    right = event("lr/too_small", "The learning rate is low.")
    assert bug.hits([right, event("loss/flat", "The loss is flat.")], []) == [right]
    assert bug.hits([right], [event("lr/too_small", "")]) == []


def still(watch, broken):
    model = nn.Linear(2, 1)
    optimizer = SGD(model.parameters(), lr=0.0 if broken else 0.1)
    before = weights(model)
    watch(model, optimizer)
    model(torch.randn(4, 2)).square().mean().backward()
    optimizer.step()
    return Ended(moved(model, before))


def test_a_real_bug_matters_if_its_scores_are_apart():
    bug = RealBug("e", "https://example.org", "A bug.", ("rate",), still, bad=0.0, good=1.0)
    assert bug.matters()
    assert bug.loop(unwatched, True) is None


@pytest.mark.slow
@pytest.mark.parametrize("bug", THIRD + FOURTH + FIFTH, ids=lambda bug: bug.name)
def test_each_real_bug_matters(bug):
    package = {"Lightning": "lightning", "Trainer": "transformers"}.get(bug.name.partition(":")[0])
    if package:
        pytest.importorskip(package)
    assert bug.score(broken=False) >= bug.good
    assert bug.score(broken=True) <= bug.bad
