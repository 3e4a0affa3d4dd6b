"""Modules of fifty more kinds go through all exams, and come back as they were."""

import random
import warnings

import numpy as np
import pytest
import torch
from networks.kinds import KINDS

from corollary.core import Status
from corollary.examine.examiner import examine
from corollary.examine.modules import unwrapped
from corollary.examine.questions import chosen_exams

# One of each kind of trouble: what packs, what routes, what keeps state, what writes, what is not
# a tensor, what hooks. The others are run by `make check-full`.
QUICK = (
    *("packed sequences, sorted", "mixture of experts", "stateful", "writes its input"),
    *("two heads and targets", "sparse gradients", "weight norm by hooks", "checkpointed"),
)


@pytest.fixture(autouse=True, scope="module")
def all_exams_are_imported():
    """Imports may draw random numbers, and are not what is tested."""
    for entry in chosen_exams(None):
        entry.load()


def photograph(model):
    """Numbers, gradients, flags, modes, hooks and the tensors themselves."""
    held = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    plain = {
        k: str(v) for m in model.modules() for k, v in vars(m).items() if k in ("seen", "state")
    }
    return (
        {k: v.detach().clone() for k, v in held.items()},
        {k: None if v.grad is None else v.grad.clone() for k, v in held.items() if v.is_leaf},
        [v.requires_grad for v in held.values()],
        [getattr(m, "training", None) for m in model.modules()],
        [len(m._forward_hooks) + len(m._forward_pre_hooks) for m in model.modules()],
        [id(v) for v in held.values() if v.is_leaf],
        plain,
    )


def same(a, b):
    if isinstance(a, torch.Tensor):
        return isinstance(b, torch.Tensor) and torch.equal(a, b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


@pytest.mark.budget(8)  # all exams, and the import of optional packages
@pytest.mark.parametrize(
    "kind", [k if k in QUICK else pytest.param(k, marks=pytest.mark.slow) for k in KINDS]
)
def test_it_goes_through_every_exam_and_comes_back_as_it_was(kind, capsys):
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a user's module may warn as it likes
        try:
            model, data, *loss = KINDS[kind]()
        except ModuleNotFoundError as missing:
            pytest.skip(str(missing))
        how = {"loss": loss[0]} if loss else {}
        before = photograph(unwrapped(model))
        world = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].copy()
        done = examine(model, data, effort="quick", lr=0.1, batch_size=8, steps=30, **how)
    assert same(photograph(unwrapped(model)), before)
    assert torch.equal(torch.get_rng_state(), world[0]) and random.getstate() == world[1]
    assert np.array_equal(np.random.get_state()[1], world[2])
    silent = [f for f in done.findings if f.status is not Status.DONE]
    assert all(f.meaning for f in silent), "an exam without an answer says why"
    assert not [f"{f.exam}: {f.meaning}" for f in silent if f.status is Status.FAILED]
