"""Runs that go on from a checkpoint, whole or on purpose in part."""

import copy
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, Adam, AdamW
from torch.optim.lr_scheduler import CosineAnnealingLR

from loops.fourth.material import trained_on_digits
from loops.healthy.plain import epoch_of
from loops.material import mlp
from loops.planted import Watch
from loops.second.material import Backbone
from loops.third.material import batches, split_digits
from loops.third.real import accuracy


def begun(data: Any, epochs: int = 5) -> dict[str, Any]:
    """A checkpoint after some epochs."""
    model = mlp()
    optimizer = AdamW(model.parameters(), lr=2e-3)
    scheduler = CosineAnnealingLR(optimizer, T_max=12)
    for _ in range(epochs):
        epoch_of(model, optimizer, data)
        scheduler.step()
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler}
    return {k: copy.deepcopy(v.state_dict()) for k, v in parts.items()} | {"epoch": epochs}


def resumed_whole(watch: Watch) -> None:
    x, y, x_test, y_test = split_digits()
    data = batches(x, y)
    checkpoint = begun(data)
    model = mlp()
    optimizer = AdamW(model.parameters(), lr=2e-3)
    scheduler = CosineAnnealingLR(optimizer, T_max=12)
    watch(model, optimizer)
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    scheduler.load_state_dict(checkpoint["scheduler"])
    for _ in range(checkpoint["epoch"], 12):
        epoch_of(model, optimizer, data)
        scheduler.step()
        accuracy(model, x_test, y_test)


def resumed_before_the_watch(watch: Watch) -> None:
    x, y, _, _ = split_digits()
    data = batches(x, y)
    checkpoint = begun(data)
    model = mlp()
    model.load_state_dict(checkpoint["model"])
    optimizer = AdamW(model.parameters(), lr=2e-3)
    optimizer.load_state_dict(checkpoint["optimizer"])
    watch(model, optimizer, step=checkpoint["epoch"] * len(data))
    for _ in range(6):
        epoch_of(model, optimizer, data)


def saved_every_epoch(watch: Watch) -> None:
    """Checkpoints are made as the run goes on, and none is loaded."""
    x, y, x_test, y_test = split_digits()
    model = mlp()
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for epoch in range(8):
        epoch_of(model, optimizer, batches(x, y))
        checkpoint = {
            "epoch": epoch,
            "model": copy.deepcopy(model.state_dict()),
            "optimizer": copy.deepcopy(optimizer.state_dict()),
        }
        accuracy(model, x_test, y_test)
    assert checkpoint["epoch"] == 7


def fine_tuned(watch: Watch) -> None:
    """A pretrained body with a new head: keys of the old head do not fit, on purpose."""
    x, y, x_test, y_test = split_digits(images=True)
    pretrained = trained_on_digits(x[:700], y[:700], epochs=2).state_dict()
    pretrained = {k: v for k, v in pretrained.items() if not k.startswith("head")}
    model = Backbone()
    optimizer = AdamW(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    model.load_state_dict(pretrained, strict=False)
    for _ in range(5):
        epoch_of(model, optimizer, batches(x, y))
        accuracy(model, x_test, y_test)


def best_restored_at_the_end(watch: Watch) -> None:
    x, y, x_test, y_test = split_digits()
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
    watch(model, optimizer)
    best, kept = 0.0, {k: v.clone() for k, v in model.state_dict().items()}
    for _ in range(8):
        epoch_of(model, optimizer, batches(x, y))
        score = accuracy(model, x_test, y_test)
        if score > best:
            best, kept = score, {k: v.clone() for k, v in model.state_dict().items()}
    model.load_state_dict(kept)
    with torch.no_grad():
        F.cross_entropy(model.eval()(x_test), y_test)


def back_to_the_best_after_a_plateau(watch: Watch) -> None:
    """Twice the best weights are loaded again, with half the learning rate."""
    x, y, x_test, y_test = split_digits()
    model: nn.Module = mlp()
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
    watch(model, optimizer)
    best, kept = 0.0, copy.deepcopy(model.state_dict())
    for epoch in range(10):
        epoch_of(model, optimizer, batches(x, y))
        score = accuracy(model, x_test, y_test)
        if score > best:
            best, kept = score, copy.deepcopy(model.state_dict())
        if epoch in (5, 8):
            model.load_state_dict(kept)
            for group in optimizer.param_groups:
                group["lr"] *= 0.5


LOOPS = (
    resumed_whole,
    resumed_before_the_watch,
    saved_every_epoch,
    fine_tuned,
    best_restored_at_the_end,
    back_to_the_best_after_a_plateau,
)
