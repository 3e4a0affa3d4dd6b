"""Which optimizer has which parameters, and the mode of the network."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, Adam, AdamW

from loops.material import Gpt, cnn, digits, loader, mlp, next_token_loss, text
from loops.planted import Bug, Watch


def head_replaced(watch: Watch, broken: bool) -> None:
    model = cnn()
    if not broken:
        model[-1] = nn.Linear(32 * 16, 10)
    optimizer = SGD(model.parameters(), lr=0.05)
    if broken:
        model[-1] = nn.Linear(32 * 16, 10)
    watch(model, optimizer)
    for _ in range(3):
        for x, y in loader(*digits(images=True)):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


def head_forgotten(watch: Watch, broken: bool) -> None:
    model = Gpt()
    parts = [model.token, model.place, model.blocks] + ([] if broken else [model.head])
    optimizer = AdamW([p for part in parts for p in part.parameters()], lr=1e-3)
    watch(model, optimizer)
    ids = text()
    for _ in range(60):
        batch = ids[torch.randint(0, len(ids), (16,))]
        optimizer.zero_grad()
        next_token_loss(model(batch), batch).backward()
        optimizer.step()


def two_optimizers(watch: Watch, broken: bool) -> None:
    model = mlp()
    body = Adam(model[:4].parameters())
    head = Adam(model.parameters() if broken else model[4:].parameters())
    watch(model, [body, head])
    for _ in range(2):
        for x, y in loader(*digits()):
            body.zero_grad()
            head.zero_grad()
            F.cross_entropy(model(x), y).backward()
            body.step()
            head.step()


def eval_left_on(watch: Watch, broken: bool) -> None:
    model = cnn()
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    watch(model, optimizer)
    x_test, y_test = digits(images=True)
    for _ in range(4):
        if not broken:
            model.train()
        for x, y in loader(*digits(images=True)):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            (model(x_test).argmax(1) == y_test).float().mean()


def never_in_training_mode(watch: Watch, broken: bool) -> None:
    model = mlp(dropout=0.3).eval()
    optimizer = Adam(model.parameters())
    if not broken:
        model.train()
    watch(model, optimizer)
    for _ in range(3):
        for x, y in loader(*digits()):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


def evaluated_in_training_mode(watch: Watch, broken: bool) -> None:
    model = cnn()
    optimizer = Adam(model.parameters())
    watch(model, optimizer)
    held_out = loader(*digits(images=True), shuffle=False)
    for _ in range(3):
        for x, y in loader(*digits(images=True)):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        if not broken:
            model.eval()
        with torch.no_grad():
            for x, _ in held_out:
                model(x)
        model.train()


BUGS = (
    Bug(
        "head replaced after the optimizer",
        ("optimizer/foreign_parameters", "optimizer/missing_parameters"),
        head_replaced,
    ),
    Bug("head not in the optimizer", ("optimizer/missing_parameters",), head_forgotten),
    Bug("two optimizers share", ("optimizer/shared_parameters",), two_optimizers),
    Bug("eval left on", ("mode/eval_during_training",), eval_left_on),
    Bug("never in training mode", ("mode/eval_during_training",), never_in_training_mode),
    Bug(
        "evaluated in training mode",
        ("mode/training_during_evaluation",),
        evaluated_in_training_mode,
    ),
)
