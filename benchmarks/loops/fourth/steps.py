"""Steps that do not happen, happen too seldom, or happen before the gradient is ready."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, Adam
from torch.optim.lr_scheduler import CosineAnnealingLR

from loops.material import cnn, mlp
from loops.planted import Watch
from loops.third.material import batches, perceptron, split_digits, table
from loops.third.pipelines import counts
from loops.third.real import Ended, RealBug, accuracy, explained, moved, weights


def scheduler_in_place_of_the_optimizer(watch: Watch, broken: bool) -> Ended:
    x, y, _, _ = split_digits()
    model = mlp()
    data = batches(x, y)
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    scheduler = CosineAnnealingLR(optimizer, T_max=8 * len(data))
    before = weights(model)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in data:
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            if not broken:
                optimizer.step()
            scheduler.step()
    return Ended(moved(model, before))


def step_after_the_batches(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits(images=True)
    model = cnn()
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            if not broken:
                optimizer.step()
        if broken:
            optimizer.step()
    return Ended(accuracy(model, x_test, y_test))


def accumulated_beyond_the_epoch(watch: Watch, broken: bool) -> Ended:
    model = perceptron(8, 1)
    optimizer = Adam(model.parameters(), lr=3e-3)
    data = batches(*table(1280), size=64)  # 20 batches
    pieces = 32 if broken else 2
    before = weights(model)
    watch(model, optimizer)
    optimizer.zero_grad()
    for _ in range(12):
        for k, (a, b) in enumerate(data):
            (F.mse_loss(model(a), b) / pieces).backward()
            if (k + 1) % pieces == 0:
                optimizer.step()
                optimizer.zero_grad()
    return Ended(moved(model, before))


def clipped_before_backward(watch: Watch, broken: bool) -> Ended:
    x, rate = counts(3200)
    y = torch.poisson(rate.exp())
    model = perceptron(8, 1)
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            loss = F.poisson_nll_loss(model(a), b)
            if broken:
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            loss.backward()
            if not broken:
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
    return Ended(explained(model, *counts(1000)))


NO_STEP = (
    "never step|no step|not step|without a step|without step|takes no step|did not step"
    "|step is missing|step() is missing|missing step|never called|not called|never update"
    "|no update|not update|never change|not change|unchanged|does not move|do not move|never move"
)

BUGS = (
    RealBug(
        "the scheduler steps in place of the optimizer",
        "https://github.com/ClementPinard/SfmLearner-Pytorch/issues/5",
        "With a scheduler, scheduler.step() is called and optimizer.step() is not, so no weight "
        "changes.",
        (NO_STEP,),
        scheduler_in_place_of_the_optimizer,
        bad=0.0,
        good=0.99,
    ),
    RealBug(
        "step after the loop over the batches",
        "https://github.com/DeepReinforcementLearning/DeepReinforcementLearningInAction/pull/13",
        "The step is indented one level too little: gradients of all batches but the last are "
        "cleared unused, and an epoch has one step.",
        (
            "step|update",
            "per epoch|each epoch|once an"
            " epoch|discard|thrown|lost|few steps|too few|rarely|seldom"
            "|cleared|unused|not used|never used|never applied|not applied|overwritten"
            "|without a step|not every|after the loop|outside the loop|most gradient|most batch",
        ),
        step_after_the_batches,
        bad=0.85,
        good=0.93,
    ),
    RealBug(
        "accumulation over more batches than an epoch has",
        "https://github.com/huggingface/transformers/issues/2995",
        "The count of pieces begins again in each epoch of 20 batches and never reaches 32, so "
        "the optimizer never steps.",
        (NO_STEP,),
        accumulated_beyond_the_epoch,
        bad=0.0,
        good=0.99,
    ),
    RealBug(
        "clipping before backward",
        "https://github.com/Cranial-XIX/FAMO/issues/4",
        "Gradients are clipped when they have just been cleared; those of the batch come after "
        "and are not clipped.",
        (
            "clip",
            "before backward|before the backward|before loss.backward|before gradients|never act"
            "|never clip|no effect|nothing|empty|not act|not clip|unclipped|too early|no gradient"
            "|without gradient|wrong place|wrong order|cleared",
        ),
        clipped_before_backward,
        bad=0.0,
        good=0.7,
    ),
)
