"""Runs that go on from a checkpoint, and checkpoints that are not what they seem."""

import copy
from statistics import mean
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, Adam, AdamW
from torch.optim.lr_scheduler import LambdaLR

from loops.fourth.material import trained_on_digits
from loops.material import Gpt, mlp, next_token_loss, text
from loops.planted import Watch
from loops.second.material import Backbone
from loops.third.material import batches, perceptron, split_digits, table
from loops.third.real import Ended, RealBug, accuracy, moved, weights


def checkpoint_of_a_table() -> tuple[dict[str, Any], Any]:
    """Weights, optimizer and last losses of 20 epochs, and the data."""
    data = batches(*table(1600))
    model = perceptron(8, 1)
    optimizer = Adam(model.parameters(), lr=3e-3)
    losses = trained_on(data, model, optimizer, epochs=20)
    states = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    return states | {"losses": losses[-len(data) :]}, data


def trained_on(data: Any, model: nn.Module, optimizer: Adam, epochs: int) -> list[float]:
    losses = []
    for _ in range(epochs):
        for a, b in data:
            optimizer.zero_grad()
            loss = F.mse_loss(model(a), b)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


def resumed_without_the_optimizer(watch: Watch, broken: bool) -> Ended:
    saved, data = checkpoint_of_a_table()
    model = perceptron(8, 1)
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    model.load_state_dict(saved["model"])
    if not broken:
        optimizer.load_state_dict(saved["optimizer"])
    losses = trained_on(data, model, optimizer, epochs=4)
    return Ended(-mean(losses[:12]) / mean(saved["losses"]))


def planned(optimizer: AdamW, steps: int = 160) -> LambdaLR:
    """Up for 20 steps, then down to zero."""
    return LambdaLR(optimizer, lambda k: min((k + 1) / 20, max(0.0, 1 - (k - 20) / (steps - 20))))


def trained_language(
    model: nn.Module, optimizer: AdamW, scheduler: LambdaLR, steps: int, ids: torch.Tensor
) -> None:
    for _ in range(steps):
        batch = ids[torch.randint(0, len(ids), (16,))]
        optimizer.zero_grad()
        next_token_loss(model(batch), batch).backward()
        optimizer.step()
        scheduler.step()


def resumed_without_the_schedule(watch: Watch, broken: bool) -> Ended:
    ids = text()
    first = Gpt()
    optimizer = AdamW(first.parameters(), lr=3e-3)
    scheduler = planned(optimizer)
    trained_language(first, optimizer, scheduler, 80, ids)
    saved = copy.deepcopy([x.state_dict() for x in (first, optimizer, scheduler)])
    model = Gpt()
    optimizer = AdamW(model.parameters(), lr=3e-3)
    scheduler = planned(optimizer)
    watch(model, optimizer)
    model.load_state_dict(saved[0])
    optimizer.load_state_dict(saved[1])
    if not broken:
        scheduler.load_state_dict(saved[2])
    trained_language(model, optimizer, scheduler, 80, ids)
    return Ended(-optimizer.param_groups[0]["lr"])


def keys_of_a_wrapper(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits(images=True)
    saved = {f"module.{k}": v for k, v in trained_on_digits(x, y).state_dict().items()}
    if not broken:
        saved = {k.removeprefix("module."): v for k, v in saved.items()}
    model = Backbone()
    optimizer = AdamW(model.parameters(), lr=1e-4)
    watch(model, optimizer)
    model.load_state_dict(saved, strict=False)
    for _ in range(20):
        for a, b in batches(x[:320], y[:320], size=32):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(accuracy(model, x_test, y_test))


def best_weights_not_copied(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
    watch(model, optimizer)
    best, best_state, were = 0.0, model.state_dict(), weights(model)
    for _ in range(14):
        model.train()
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
        right = accuracy(model, x_test, y_test)
        if right > best:
            state = model.state_dict()
            best, best_state = right, state if broken else copy.deepcopy(state)
            were = weights(model)
    model.load_state_dict(best_state)
    return Ended(1 - moved(model, were))


BUGS = (
    RealBug(
        "resumed without the state of the optimizer",
        "https://github.com/EvolvingLMMs-Lab/OneVision-Encoder/pull/65",
        "Weights are loaded and the moments of Adam are not, so the first steps after the "
        "checkpoint have the full learning rate in every coordinate.",
        (
            "optimizer|adam|moment",
            "state|moment|not loaded|not restored|empty|fresh|restor|resum|lost|forg|reset|anew"
            "|from zero|scratch|spike",
            "load|restor|resum|checkpoint|lost|forg|reset|anew|fresh|spike|jump",
        ),
        resumed_without_the_optimizer,
        bad=-1.5,
        good=-1.3,
    ),
    RealBug(
        "resumed without the state of the schedule",
        "https://github.com/lightly-ai/lightly-train/pull/301",
        "The scheduler begins again with its warm-up in the middle of the run, and the learning "
        "rate never comes down to zero.",
        (
            "schedul|learning rate|warm",
            "again|restart|restor|resum|jump|from the beginning|from the start|start over"
            "|not loaded|anew|reset|increase|rises|risen|went up|raised|not end|unfinished"
            "|not reach|before its end|not finish",
        ),
        resumed_without_the_schedule,
        bad=-1e-3,
        good=-1e-4,
    ),
    RealBug(
        "checkpoint with other keys, loaded with strict=False",
        "https://github.com/pytorch/examples/issues/1029",
        "The keys begin with the name of a wrapper, so none fits and the network keeps its random "
        "weights.",
        (
            "load|checkpoint|state_dict|state dict|pretrain|pre-train",
            "key|strict|no parameter|none of|nothing|not loaded|match|missing|unexpected|prefix"
            "|unchanged|random",
        ),
        keys_of_a_wrapper,
        bad=0.92,
        good=0.945,
    ),
    RealBug(
        "best weights kept by reference",
        "https://github.com/pytorch/tutorials/pull/188",
        "state_dict() refers to the weights and does not copy them, so the best weights of the "
        "run are always the latest.",
        (
            "state_dict|state dict|best weight|best model|best epoch|load|checkpoint|restor",
            "copy|copied|reference|alias|same tensor|same memory|own weight|own state|itself|shares"
            "|shared|unchanged|no effect|nothing|not change|deepcopy|clone",
        ),
        best_weights_not_copied,
        bad=0.5,
        good=1.0,
    ),
)
