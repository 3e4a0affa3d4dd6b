import json
import re
import sys
import warnings
from pathlib import Path

import pytest
import torch
from torch.utils.data import DataLoader

from corollary.errors import DataUnavailableError

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
from bugs_found import named  # noqa: E402
from real_bugs import BUGS, FOURTH  # noqa: E402
from real_bugs.bug import batches, whole  # noqa: E402

SOURCE = re.compile(r"https://\S+|[\w.-]+/[\w.-]+#\d+")
CASES = pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
# What the bug is about may be a size that PyTorch itself warns of.
QUIET = pytest.mark.filterwarnings("ignore:Using a target size")


def contents(arguments):
    """All that twins can differ in, in a form that can be compared."""
    model, optimizer, loss = (arguments[k] for k in ("model", "optimizer", "loss"))
    torch.manual_seed(0)  # the order of a loader that shuffles
    x, y = whole(arguments["data"])
    owned = {id(p) for group in optimizer.param_groups for p in group["params"]}
    return repr(
        [
            [(t.shape, digest(t)) for t in (x, y, *model.parameters(), *model.buffers())],
            [digest(t) for t in getattr(loss, "buffers", list)()],
            [(p.requires_grad, id(p) in owned) for p in model.parameters()],
            [{k: v for k, v in g.items() if k != "params"} for g in optimizer.param_groups],
            [(str(m), plain(m)) for m in model.modules()],
            [getattr(arguments.get("scheduler"), "step_size", None), loss, plain(loss)],
            type(getattr(arguments["data"], "sampler", None)),
            [digest(t) for t in arguments.get("held_out", ())],
            [arguments["batch_size"], arguments["steps"], type(optimizer)],
        ]
    )


def digest(t):
    """A sum that tells the order of the entries."""
    t = t.detach().double().flatten()
    return float(t @ torch.arange(1.0, len(t) + 1, dtype=t.dtype))


def plain(module):
    """The switches that a module was made with."""
    held = {k: v for k, v in vars(module).items() if isinstance(v, (bool, int, float, str))}
    return held, getattr(module, "weight", None) is None


def twins(bug):
    """Both networks; some bugs are told with real data, which may be out of reach."""
    try:
        return bug.buggy(), bug.fixed()
    except DataUnavailableError as why:
        pytest.skip(str(why))


def test_names_differ_and_every_bug_has_a_public_source():
    assert len({bug.name for bug in BUGS}) == len(BUGS) >= 80
    assert len({bug.source for bug in BUGS}) == len(BUGS)
    assert all(SOURCE.match(bug.source) for bug in BUGS)
    assert all(bug.kind and bug.what and bug.cause and bug.bad < bug.good for bug in BUGS)


@QUIET
@CASES
def test_twins_can_be_called_and_differ_and_are_the_same_every_time(bug):
    for arguments in twins(bug):
        x, y = next(batches(arguments))
        assert arguments["loss"](arguments["model"](x), y).ndim == 0
        assert isinstance(arguments["data"], (tuple, DataLoader))
    assert contents(bug.buggy()) != contents(bug.fixed())
    assert contents(bug.fixed()) == contents(bug.fixed())


def test_a_cause_is_named_only_if_each_of_its_words_is_there():
    assert named(("softmax", "twice|logits"), "Softmax comes before a loss of logits.")
    assert not named(("softmax", "twice|logits"), "Softmax saturates.")


@pytest.mark.slow
@CASES
def test_the_fix_matters_in_a_short_training(bug):
    twins(bug)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of the broadcast that is the bug
        assert bug.fix_matters()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("bug", FOURTH, ids=lambda bug: bug.name)
def test_the_fix_matters_with_other_seeds_too(bug, seed):
    twins(bug)
    assert bug.fix_matters(seed)


def test_the_docs_show_the_score_that_is_kept():
    kept = json.loads((ROOT / "benchmarks/real_bugs/scored/second.json").read_text())["second"]
    columns = "detected", "cause_named", "alarms"
    counts = [len(kept), *(sum(bool(o[k]) for o in kept) for k in columns)]
    row = "| second (not known) | " + " | ".join(map(str, counts)) + " |"
    assert row in (ROOT / "docs/howto/examine.md").read_text()
