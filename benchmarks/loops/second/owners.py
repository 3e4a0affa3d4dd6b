"""Who owns a parameter, in which mode it is used, and how fast it may move."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, Adam, AdamW
from torch.optim.lr_scheduler import ExponentialLR, OneCycleLR

from loops.material import Gpt, cnn, digits, mlp, next_token_loss, text
from loops.planted import Bug, Watch
from loops.second.material import Backbone, Recurrent, batches, series


def thawed_too_late(watch: Watch, broken: bool) -> None:
    model = Backbone()
    model.features.requires_grad_(False)
    optimizer = Adam([p for p in model.parameters() if p.requires_grad], lr=3e-3)
    watch(model, optimizer)
    for epoch in range(5):
        if epoch == 2:
            model.features.requires_grad_(True)
            if not broken:
                optimizer.add_param_group({"params": model.features.parameters(), "lr": 1e-3})
        for x, y in batches(*digits(images=True)):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


def vocabulary_grown(watch: Watch, broken: bool) -> None:
    model = Gpt(tokens=28)
    optimizer = Adam(model.parameters(), lr=1e-3)
    grown, head = nn.Embedding(32, 48), nn.Linear(48, 32)
    with torch.no_grad():
        grown.weight[:28], head.weight[:28] = model.token.weight, model.head.weight
    model.token, model.head = grown, head
    if not broken:
        optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    ids = text()
    for _ in range(120):
        batch = ids[torch.randint(0, len(ids), (16,))]
        optimizer.zero_grad()
        next_token_loss(model(batch), batch).backward()
        optimizer.step()


def embeddings_stepped_twice(watch: Watch, broken: bool) -> None:
    model = Gpt()
    tables = [*model.token.parameters(), *model.place.parameters()]
    owned = {id(p) for p in tables}
    others = [p for p in model.parameters() if broken or id(p) not in owned]
    slow, fast = SGD(tables, lr=0.1), Adam(others, lr=1e-3)
    watch(model, [slow, fast])
    ids = text()
    for _ in range(120):
        batch = ids[torch.randint(0, len(ids), (16,))]
        model.zero_grad()
        next_token_loss(model(batch), batch).backward()
        slow.step()
        fast.step()


def only_the_head_trains_again(watch: Watch, broken: bool) -> None:
    model = Backbone(dropout=0.2)
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    x_test, y_test = digits(images=True)
    for _ in range(4):
        (model.head if broken else model).train()
        for x, y in batches(*digits(images=True)):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            (model(x_test).argmax(1) == y_test).float().mean()


def decay_of_everything(watch: Watch, broken: bool) -> None:
    model = cnn()
    flat = [p for p in model.parameters() if p.ndim < 2]
    full = [p for p in model.parameters() if p.ndim >= 2]
    groups = [{"params": full}, {"params": flat, "weight_decay": 0.3 if broken else 0.0}]
    optimizer = AdamW(groups, lr=1e-3, weight_decay=0.3)
    watch(model, optimizer)
    for _ in range(5):
        for x, y in batches(*digits(images=True)):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


def cycle_stepped_per_epoch(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.2)
    data, epochs = batches(*digits()), 6
    scheduler = OneCycleLR(optimizer, max_lr=0.2, total_steps=epochs * len(data))
    watch(model, optimizer)
    for _ in range(epochs):
        for x, y in data:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
            if not broken:
                scheduler.step()
        if broken:
            scheduler.step()


def decayed_with_every_batch(watch: Watch, broken: bool) -> None:
    model = Recurrent()
    optimizer = Adam(model.parameters(), lr=5e-3)
    scheduler = ExponentialLR(optimizer, gamma=0.7)  # meant: once per epoch
    watch(model, optimizer)
    data = batches(*series())
    for _ in range(6):
        for x, y in data:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
            if broken:
                scheduler.step()
        if not broken:
            scheduler.step()


BUGS = (
    Bug("thawed without the optimizer", ("optimizer/missing_parameters",), thawed_too_late),
    Bug(
        "vocabulary grown after the optimizer",
        ("optimizer/foreign_parameters", "optimizer/missing_parameters"),
        vocabulary_grown,
    ),
    Bug("embeddings stepped twice", ("optimizer/shared_parameters",), embeddings_stepped_twice),
    Bug(
        "only the head trains again",
        ("mode/eval_during_training",),
        only_the_head_trains_again,
    ),
    Bug("decay of everything", ("optimizer/*decay*",), decay_of_everything),
    Bug("cycle stepped per epoch", ("schedule/*", "lr/too_small"), cycle_stepped_per_epoch),
    Bug(
        "decayed with every batch",
        ("schedule/ended_early", "schedule/past_its_end", "lr/too_small"),
        decayed_with_every_batch,
    ),
)
