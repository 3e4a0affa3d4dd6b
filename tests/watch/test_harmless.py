"""Training with a watcher is bit for bit training without one."""

import os
import random
from contextlib import nullcontext

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from corollary.watch import backward_calls, following
from corollary.watch.watcher import watch

STEPS = 200


def mlp():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))


def batch(x, y, size=16):
    i = torch.randint(0, len(x), (size,))
    return x[i], y[i]


def plain(model, x, y, optimizer=None, scheduler=None, clip=None, pieces=1, context=nullcontext):
    optimizer = optimizer or torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    steps = scheduler(optimizer) if scheduler else None
    yield optimizer
    for _ in range(STEPS):
        optimizer.zero_grad()
        for _ in range(pieces):
            a, b = batch(x, y)
            with context():
                loss = F.cross_entropy(model(a), b) / pieces
            loss.backward()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        if steps:
            steps.step()


def with_lbfgs(model, x, y):
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4)
    yield optimizer
    for _ in range(STEPS // 10):

        def closure():
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            return loss

        optimizer.step(closure)


def with_two_optimizers(model, x, y):
    first = torch.optim.SGD(model[0].parameters(), lr=0.1)
    second = torch.optim.Adam(model[2].parameters())
    yield [first, second]
    for _ in range(STEPS):
        a, b = batch(x, y)
        first.zero_grad()
        second.zero_grad()
        F.cross_entropy(model(a), b).backward()
        first.step()
        second.step()


def with_scaler(model, x, y):
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    yield optimizer
    for _ in range(STEPS):
        a, b = batch(x, y)
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(model(a), b)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


def with_evaluation(model, x, y):
    optimizer = torch.optim.RMSprop(model.parameters())
    yield optimizer
    for step in range(STEPS):
        a, b = batch(x, y)
        optimizer.zero_grad()
        F.cross_entropy(model(a), b).backward()
        optimizer.step()
        if step % 20 == 19:
            model.eval()
            with torch.no_grad():
                model(x)
            model.train()


class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.Dropout(0.2), nn.ReLU())
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return self.head(checkpoint(self.body, x, use_reentrant=False))


def with_batch_norm():
    return nn.Sequential(
        nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 3)
    )


def frozen():
    model = mlp()
    model[0].requires_grad_(False)
    return model


def exponential(optimizer):
    return torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.99)


KINDS = {
    "momentum": (mlp, plain),
    "batch norm and dropout": (with_batch_norm, plain),
    "scheduler": (mlp, lambda m, x, y: plain(m, x, y, scheduler=exponential)),
    "clipping": (mlp, lambda m, x, y: plain(m, x, y, clip=0.1)),
    "accumulation": (with_batch_norm, lambda m, x, y: plain(m, x, y, pieces=4)),
    "autocast": (
        mlp,
        lambda m, x, y: plain(m, x, y, context=lambda: torch.autocast("cpu", dtype=torch.bfloat16)),
    ),
    "GradScaler": (mlp, with_scaler),
    "LBFGS": (mlp, with_lbfgs),
    "two optimizers": (mlp, with_two_optimizers),
    "frozen part": (frozen, plain),
    "checkpointing": (Checkpointed, plain),
    "evaluations": (with_batch_norm, with_evaluation),
}


def trained(kind, watched, **options):
    make, loop = KINDS[kind]
    torch.manual_seed(1)
    random.seed(1)
    np.random.seed(1)
    model = make()
    x, y = torch.randn(64, 6), torch.randint(0, 3, (64,))
    run = loop(model, x, y)
    optimizers = next(run)
    # The widest measurements: every step is looked at as often as a share of 1 allows.
    found = watch(model, optimizers, to=None, quiet=True, **options) if watched else None
    for _ in run:
        pass
    if found:
        found.close()
    grads = [None if p.grad is None else p.grad.clone() for p in model.parameters()]
    state = {name: value.clone() for name, value in model.state_dict().items()}
    return state, grads, torch.get_rng_state(), random.random(), np.random.rand(), found


@pytest.mark.parametrize("kind", KINDS)
def test_weights_buffers_gradients_and_random_states_are_the_same_bits(kind):
    ours = trained(kind, watched=True, overhead=1.0)
    plain_run = trained(kind, watched=False)
    assert all(torch.equal(ours[0][name], plain_run[0][name]) for name in plain_run[0])
    for a, b in zip(ours[1], plain_run[1], strict=True):
        assert (a is None and b is None) or torch.equal(a, b)
    assert torch.equal(ours[2], plain_run[2])
    assert ours[3] == plain_run[3] or "COROLLARY_SHAPES" in os.environ  # beartype draws from it
    assert ours[4] == plain_run[4]
    without_curvature = kind in ("LBFGS", "checkpointing")
    assert ("stability" in ours[5].readings) is not without_curvature
    assert len(ours[5].problems) == without_curvature


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_medium_or_high_severity_is_said_of_these_loops(kind):
    found = trained(kind, watched=True)[5]
    assert [e for e in found.events if e.severity.rank >= 2] == []


def test_hooks_are_gone_after_closing(monkeypatch):
    monkeypatch.setattr(
        backward_calls, "_listeners", []
    )  # other tests may have left a watcher open
    monkeypatch.setattr(torch.autograd, "backward", backward_calls._own)
    own = torch.autograd.backward
    model = mlp()
    with watch(model, to=None, quiet=True):
        assert torch.autograd.backward is not own
        assert model._forward_hooks
    assert torch.autograd.backward is own
    assert not model._forward_hooks and not model._forward_pre_hooks
    assert all(not m._forward_hooks for m in model.modules())


def test_an_error_inside_the_watcher_does_not_reach_the_loop(monkeypatch):
    def broken(*_):
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr(following, "read_graph", broken)
    state, _, _, _, _, found = trained("momentum", watched=True)
    assert "a bug of ours" in found.problems[0]
    monkeypatch.undo()
    assert all(torch.equal(state[k], v) for k, v in trained("momentum", watched=False)[0].items())
