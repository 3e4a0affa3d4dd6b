"""Learning rates that change: by schedulers, by hand, per group; layers thawed on the way."""

import math

from torch.nn import functional as F
from torch.optim import SGD, Adam, AdamW
from torch.optim.lr_scheduler import (
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    LambdaLR,
    LinearLR,
    OneCycleLR,
    ReduceLROnPlateau,
    SequentialLR,
)

from loops.fourth.material import trained_on_digits
from loops.healthy.plain import epoch_of
from loops.material import cnn, mlp
from loops.planted import Watch
from loops.second.material import Backbone
from loops.third.material import batches, perceptron, split_digits, table
from loops.third.real import accuracy


def cosine_per_epoch(watch: Watch) -> None:
    x, y, x_test, y_test = split_digits()
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = CosineAnnealingLR(optimizer, T_max=12)
    watch(model, optimizer)
    for _ in range(12):
        epoch_of(model, optimizer, batches(x, y))
        scheduler.step()
        accuracy(model, x_test, y_test)


def one_cycle(watch: Watch) -> None:
    x, y, _, _ = split_digits(images=True)
    model, data = cnn(), batches(x, y)
    optimizer = SGD(model.parameters(), lr=0.01, momentum=0.9)
    scheduler = OneCycleLR(optimizer, 0.1, total_steps=6 * len(data))
    watch(model, optimizer)
    for _ in range(6):
        for a, b in data:
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
            scheduler.step()


def warm_up_then_cosine(watch: Watch) -> None:
    data = batches(*table(1600))
    model = perceptron(8, 1)
    optimizer = AdamW(model.parameters(), lr=3e-3)
    total = 10 * len(data)
    parts = [LinearLR(optimizer, 0.1, 1.0, 20), CosineAnnealingLR(optimizer, total - 20)]
    scheduler = SequentialLR(optimizer, parts, [20])
    watch(model, optimizer, steps=total)
    for _ in range(10):
        for a, b in data:
            optimizer.zero_grad()
            F.mse_loss(model(a), b).backward()
            optimizer.step()
            scheduler.step()


def warm_restarts(watch: Watch) -> None:
    x, y, _, _ = split_digits()
    model, data = mlp(), batches(x, y)
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = CosineAnnealingWarmRestarts(optimizer, T_0=2 * len(data), T_mult=2)
    watch(model, optimizer)
    for _ in range(12):
        for a, b in data:
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
            scheduler.step()


def plateau(watch: Watch) -> None:
    x, y, x_test, y_test = split_digits()
    model = mlp()
    optimizer = Adam(model.parameters(), lr=3e-3)
    scheduler = ReduceLROnPlateau(optimizer, mode="max", patience=2)
    watch(model, optimizer)
    for _ in range(14):
        epoch_of(model, optimizer, batches(x, y))
        scheduler.step(accuracy(model, x_test, y_test))


def rate_by_hand(watch: Watch) -> None:
    """A function of the step writes the learning rate of each group."""
    x, y, _, _ = split_digits()
    model, data = mlp(), batches(x, y)
    optimizer = AdamW(model.parameters(), lr=3e-3)
    total, step = 10 * len(data), 0
    watch(model, optimizer)
    for _ in range(10):
        for a, b in data:
            warm = min(1.0, (step + 1) / 20)
            lr = 3e-3 * warm * 0.5 * (1 + math.cos(math.pi * step / total))
            for group in optimizer.param_groups:
                group["lr"] = lr
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
            step += 1


def warm_up_by_hand_then_scheduler(watch: Watch) -> None:
    x, y, _, _ = split_digits()
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = CosineAnnealingLR(optimizer, T_max=10)
    watch(model, optimizer)
    for epoch in range(10):
        for k, (a, b) in enumerate(batches(x, y)):
            if epoch == 0:
                for group in optimizer.param_groups:
                    group["lr"] = 0.1 * (k + 1) / 21
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
        scheduler.step()


def rates_per_layer(watch: Watch) -> None:
    """A pretrained body with a tenth of the head's learning rate, decayed by one factor."""
    x, y, x_test, y_test = split_digits(images=True)
    model = trained_on_digits(x[:700], y[:700], epochs=2)
    model.head[-1].reset_parameters()
    groups = [
        {"params": model.features.parameters(), "lr": 1e-4},
        {"params": model.head.parameters(), "lr": 1e-3},
    ]
    optimizer = AdamW(groups)
    scheduler = LambdaLR(optimizer, lambda k: 0.97**k)
    watch(model, optimizer)
    for _ in range(6):
        epoch_of(model, optimizer, batches(x, y))
        scheduler.step()
        accuracy(model, x_test, y_test)


def frozen_body(watch: Watch) -> None:
    x, y, x_test, y_test = split_digits(images=True)
    model = trained_on_digits(x[:700], y[:700], epochs=2)
    model.features.requires_grad_(False)
    model.eval()
    optimizer = Adam(model.head.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(6):
        model.head.train()
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
        model.head.eval()
        accuracy(model, x_test, y_test)


def thawed_on_the_way(watch: Watch) -> None:
    """The head first; then the body joins with a group of its own."""
    x, y, _, _ = split_digits(images=True)
    model = Backbone()
    model.features.requires_grad_(False)
    optimizer = Adam(model.head.parameters(), lr=1e-3)
    watch(model, optimizer)
    for epoch in range(6):
        if epoch == 2:
            model.features.requires_grad_(True)
            optimizer.add_param_group({"params": model.features.parameters(), "lr": 3e-4})
        epoch_of(model, optimizer, batches(x, y))


LOOPS = (
    cosine_per_epoch,
    one_cycle,
    warm_up_then_cosine,
    warm_restarts,
    plateau,
    rate_by_hand,
    warm_up_by_hand_then_scheduler,
    rates_per_layer,
    frozen_body,
    thawed_on_the_way,
)
