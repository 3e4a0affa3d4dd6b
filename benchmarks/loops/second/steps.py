"""What belongs to one step: gradients cleared, counted, clipped, and a loss that reaches back."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from loops.material import Gpt, digits, mlp, next_token_loss, text
from loops.planted import Bug, Watch
from loops.second.material import Letters, Recurrent, batches, series, table

EPOCHS = 5


def cleared_once_per_epoch(watch: Watch, broken: bool) -> None:
    model = Recurrent()
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    data = batches(*series())
    for _ in range(EPOCHS):
        optimizer.zero_grad()
        for x, y in data:
            if not broken:
                optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


def gradient_norm(model: nn.Module, tidy: bool) -> float:
    """The length of the gradient, for the log; it may clean up after itself."""
    norm = float(torch.stack([p.grad.norm() for p in model.parameters()]).norm())
    if tidy:
        model.zero_grad()
    return norm


def cleared_by_the_log(watch: Watch, broken: bool) -> None:
    model = Letters()
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    ids, log = text(), []
    for _ in range(120):
        batch = ids[torch.randint(0, len(ids), (32,))]
        optimizer.zero_grad()
        next_token_loss(model(batch), batch).backward()
        log.append(gradient_norm(model, tidy=broken))
        optimizer.step()


def loss_of_the_decision(watch: Watch, broken: bool) -> None:
    model = Recurrent()
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    for _ in range(EPOCHS):
        for x, y in batches(*series()):
            optimizer.zero_grad()
            out = model(x)
            if broken:
                wrong = (out.argmax(1) != y).float()
                loss = wrong.mean().requires_grad_()  # silences "does not require grad"
            else:
                loss = F.cross_entropy(out, y)
            loss.backward()
            optimizer.step()


def history_of_losses(watch: Watch, broken: bool) -> None:
    model = Letters()
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    ids, history = text(), []
    for _ in range(150):
        batch = ids[torch.randint(0, len(ids), (32,))]
        optimizer.zero_grad()
        loss = next_token_loss(model(batch), batch)
        loss.backward()
        optimizer.step()
        history.append(loss if broken else loss.item())


def cleared_for_each_piece(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
    watch(model, optimizer)
    for _ in range(EPOCHS):
        for k, (x, y) in enumerate(batches(*digits(), size=16)):
            if broken or k % 4 == 0:
                optimizer.zero_grad()
            (F.cross_entropy(model(x), y) / 4).backward()
            if k % 4 == 3:
                optimizer.step()


def clipped_before_unscaled(watch: Watch, broken: bool) -> None:
    model = mlp(8, 1)
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**16)
    watch(model, optimizer)
    for _ in range(EPOCHS):
        for x, y in batches(*table()):
            optimizer.zero_grad()
            scaler.scale(F.mse_loss(model(x), y)).backward()
            if not broken:
                scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            scaler.step(optimizer)
            scaler.update()


def clipped_after_the_step(watch: Watch, broken: bool) -> None:
    model = Gpt()
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
    watch(model, optimizer)
    ids = text()
    for _ in range(120):
        batch = ids[torch.randint(0, len(ids), (16,))]
        optimizer.zero_grad()
        next_token_loss(model(batch), batch).backward()
        if broken:
            optimizer.step()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if not broken:
            optimizer.step()


BUGS = (
    Bug("gradients cleared once per epoch", ("loop/zero_grad_missing",), cleared_once_per_epoch),
    Bug("gradients cleared by the log", ("loop/zero_grad_before_step",), cleared_by_the_log),
    Bug(
        "loss of the decision",
        ("loop/loss_detached", "loop/graph_cut"),
        loss_of_the_decision,
    ),
    Bug("history of losses", ("loop/graph_kept",), history_of_losses),
    Bug(
        "gradients cleared for each piece",
        ("accumulation/*", "loop/zero_grad*"),
        cleared_for_each_piece,
    ),
    Bug("clipped before unscaled", ("clip/always", "clip/*scale*"), clipped_before_unscaled),
    Bug("clipped after the step", ("clip/*never*", "clip/*after*"), clipped_after_the_step),
)
