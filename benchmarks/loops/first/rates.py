"""Schedulers and learning rates."""

import torch
from torch.nn import functional as F
from torch.optim import SGD, AdamW
from torch.optim.lr_scheduler import CosineAnnealingLR, StepLR

from loops.material import EPOCHS, Gpt, cnn, digits, loader, mlp, next_token_loss, text
from loops.planted import Bug, Watch


def scheduler_never(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, step_size=3)
    batches = loader(*digits())
    watch(model, optimizer)
    for _ in range(EPOCHS):
        for x, y in batches:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        if not broken:
            scheduler.step()


def scheduler_per_batch(watch: Watch, broken: bool) -> None:
    model = cnn()
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    scheduler = StepLR(optimizer, step_size=4, gamma=0.1)  # meant: every 4 epochs
    watch(model, optimizer)
    for _ in range(6):
        for x, y in loader(*digits(images=True)):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
            if broken:
                scheduler.step()
        if not broken:
            scheduler.step()


def cosine_per_batch(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = AdamW(model.parameters(), lr=1e-3)
    scheduler = CosineAnnealingLR(optimizer, T_max=EPOCHS)
    watch(model, optimizer)
    for _ in range(EPOCHS):
        for x, y in loader(*digits()):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
            if broken:
                scheduler.step()
        if not broken:
            scheduler.step()


def rate_too_large(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = SGD(model.parameters(), lr=20.0 if broken else 0.2)
    watch(model, optimizer)
    for _ in range(3):
        for x, y in loader(*digits()):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


def rate_too_large_for_adam(watch: Watch, broken: bool) -> None:
    model = Gpt()
    optimizer = AdamW(model.parameters(), lr=0.5 if broken else 1e-3)
    watch(model, optimizer)
    ids = text()
    for _ in range(120):
        batch = ids[torch.randint(0, len(ids), (16,))]
        optimizer.zero_grad()
        next_token_loss(model(batch), batch).backward()
        optimizer.step()


def rate_too_small(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = SGD(model.parameters(), lr=1e-6 if broken else 0.1)
    watch(model, optimizer)
    for _ in range(12):
        for x, y in loader(*digits()):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


BUGS = (
    Bug("scheduler never steps", ("schedule/never_steps",), scheduler_never),
    Bug("scheduler steps per batch", ("schedule/ended_early",), scheduler_per_batch),
    Bug("cosine steps per batch", ("schedule/past_its_end",), cosine_per_batch),
    Bug("learning rate too large", ("lr/too_large",), rate_too_large),
    Bug("learning rate too large, AdamW", ("lr/too_large",), rate_too_large_for_adam),
    Bug("learning rate too small", ("lr/too_small",), rate_too_small),
)
