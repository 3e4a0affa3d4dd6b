"""Batches that repeat, come sorted, do not fit their labels or are weighted wrongly."""

import torch
from torch.nn import functional as F
from torch.optim import SGD, Adam, AdamW

from loops.material import Gpt, digits, loader, mlp, next_token_loss, text
from loops.planted import Bug, Watch


def first_batch_only(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = Adam(model.parameters())
    batches = loader(*digits(), shuffle=not broken)
    watch(model, optimizer)
    stream = iter(batches)
    for _ in range(100):
        if broken:
            x, y = next(iter(batches))
        else:
            try:
                x, y = next(stream)
            except StopIteration:
                stream = iter(batches)
                x, y = next(stream)
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


def sorted_labels(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = Adam(model.parameters())
    x, y = digits()
    order = y.argsort()
    batches = loader(x[order], y[order], size=32, shuffle=not broken)
    watch(model, optimizer)
    for _ in range(3):
        for a, b in batches:
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()


def labels_of_other_inputs(watch: Watch, broken: bool) -> None:
    model = mlp(width=32)
    optimizer = SGD(model.parameters(), lr=0.05)
    x, y = digits()
    watch(model, optimizer)
    for _ in range(16):
        order, other = torch.randperm(len(x)), torch.randperm(len(x))
        for i in range(0, len(x) - 64, 64):
            a, b = x[order[i : i + 64]], y[(other if broken else order)[i : i + 64]]
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()


def same_order(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = Adam(model.parameters())
    watch(model, optimizer)
    for _ in range(4):
        for x, y in loader(*digits(), shuffle=not broken):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


def uneven_accumulation(watch: Watch, broken: bool) -> None:
    model = Gpt()
    optimizer = AdamW(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    ids = text()
    for _ in range(40):
        pieces = []
        for _ in range(4):
            batch = ids[torch.randint(0, len(ids), (8,))].clone()
            batch[:, int(torch.randint(4, 24, ())) :] = -100
            pieces.append(batch)
        counted = sum(int((piece[:, 1:] >= 0).sum()) for piece in pieces)
        optimizer.zero_grad()
        for piece in pieces:
            logits = model(piece.clamp(min=0))
            if broken:
                (next_token_loss(logits, piece) / 4).backward()
            else:
                (next_token_loss(logits, piece, reduction="sum") / counted).backward()
        optimizer.step()


def summed_accumulation(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.02)
    watch(model, optimizer)
    for step, (x, y) in enumerate(loader(*digits(), size=16)):
        loss = F.cross_entropy(model(x), y)
        (loss if broken else loss / 4).backward()
        if step % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()


BUGS = (
    Bug("first batch only", ("data/repeated_batch",), first_batch_only),
    Bug("data sorted by class", ("data/sorted_labels",), sorted_labels),
    Bug("labels of other inputs", ("data/nothing_learned",), labels_of_other_inputs),
    Bug("same order in every epoch", ("data/same_order",), same_order),
    Bug("uneven accumulation", ("accumulation/uneven",), uneven_accumulation),
    Bug("summed accumulation", ("accumulation/summed",), summed_accumulation),
)
