"""One network, one loss: the usual loops, with validation, accumulation and low precision."""

import copy

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import LBFGS, SGD, Adam, AdamW, Optimizer

from loops.material import Gpt, cnn, mlp, next_token_loss, text
from loops.planted import Watch
from loops.second.material import Recurrent
from loops.third.material import batches, perceptron, series, split_digits, table
from loops.third.real import accuracy


def epoch_of(model: nn.Module, optimizer: Optimizer, data: object) -> None:
    """The usual loop over batches."""
    model.train()
    for a, b in data:  # type: ignore[attr-defined]
        optimizer.zero_grad()
        F.cross_entropy(model(a), b).backward()
        optimizer.step()


def plain_classifier(watch: Watch) -> None:
    x, y, x_test, y_test = split_digits()
    model = mlp(dropout=0.2)
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(10):
        epoch_of(model, optimizer, batches(x, y))
        accuracy(model, x_test, y_test)


def convolutions_with_momentum(watch: Watch) -> None:
    x, y, x_test, y_test = split_digits(images=True)
    model = cnn()
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    watch(model, optimizer)
    for _ in range(6):
        epoch_of(model, optimizer, batches(x, y))
        accuracy(model, x_test, y_test)


def regression(watch: Watch) -> None:
    model = perceptron(8, 1)
    optimizer = AdamW(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    for _ in range(10):
        for a, b in batches(*table(1600)):
            optimizer.zero_grad()
            F.mse_loss(model(a), b).backward()
            optimizer.step()


def language_model(watch: Watch) -> None:
    ids, model = text(), Gpt()
    optimizer = AdamW(model.parameters(), lr=3e-3)
    watch(model, optimizer, steps=150)
    for _ in range(150):
        batch = ids[torch.randint(0, len(ids), (16,))]
        optimizer.zero_grad()
        next_token_loss(model(batch), batch).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def recurrent_classifier(watch: Watch) -> None:
    model = Recurrent()
    optimizer = Adam(model.parameters(), lr=5e-3)
    watch(model, optimizer)
    for _ in range(8):
        epoch_of(model, optimizer, batches(*series(960)))


def accumulation(watch: Watch) -> None:
    x, y, _, _ = split_digits()
    model = mlp()
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(12):
        for k, (a, b) in enumerate(batches(x, y, size=32)):
            (F.cross_entropy(model(a), b) / 4).backward()
            if k % 4 == 3:
                optimizer.step()
                optimizer.zero_grad()


def bfloat16_autocast(watch: Watch) -> None:
    x, y, x_test, y_test = split_digits(images=True)
    model = cnn()
    optimizer = AdamW(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(5):
        for a, b in batches(x, y):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = F.cross_entropy(model(a), b)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        accuracy(model, x_test, y_test)


def line_search(watch: Watch) -> None:
    x, y = table(400)
    model = perceptron(8, 1, width=24)
    optimizer = LBFGS(model.parameters(), lr=0.5, max_iter=8, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        return loss

    watch(model, optimizer)
    for _ in range(25):
        optimizer.step(closure)


def validation_every_few_steps(watch: Watch) -> None:
    x, y, x_test, y_test = split_digits()
    model = mlp(dropout=0.1)
    optimizer = Adam(model.parameters(), lr=1e-3)
    held_out = batches(x_test, y_test, shuffle=False)
    watch(model, optimizer)
    step = 0
    for _ in range(8):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
            step += 1
            if step % 15 == 0:
                model.eval()
                with torch.inference_mode():
                    sum(F.cross_entropy(model(c), d).item() for c, d in held_out)
                model.train()


def early_stopping(watch: Watch) -> None:
    x, y, x_test, y_test = split_digits()
    model = mlp()
    optimizer = Adam(model.parameters(), lr=3e-3)
    best, best_state, bad = 0.0, model.state_dict(), 0
    watch(model, optimizer)
    for _ in range(20):
        epoch_of(model, optimizer, batches(x, y))
        score = accuracy(model, x_test, y_test)
        bad = 0 if score > best else bad + 1
        if score > best:
            best, best_state = score, copy.deepcopy(model.state_dict())
        if bad >= 4:
            break
    model.load_state_dict(best_state)
    accuracy(model, x_test, y_test)


def folds(watch: Watch) -> None:
    x, y, _, _ = split_digits()
    for fold in range(3):
        model = mlp()
        optimizer = Adam(model.parameters(), lr=2e-3)
        held = torch.arange(len(x)) % 3 == fold
        with watch(model, optimizer):
            for _ in range(4):
                epoch_of(model, optimizer, batches(x[~held], y[~held]))
                accuracy(model, x[held], y[held])


def one_batch_on_purpose(watch: Watch) -> None:
    x, y, _, _ = split_digits()
    model = mlp()
    optimizer = Adam(model.parameters(), lr=1e-3)
    a, b = x[:32], y[:32]
    watch(model, optimizer)
    for _ in range(120):
        optimizer.zero_grad()
        F.cross_entropy(model(a), b).backward()
        optimizer.step()


def full_batch(watch: Watch) -> None:
    x, y = table(500)
    model = perceptron(8, 1)
    optimizer = SGD(model.parameters(), lr=0.1)
    watch(model, optimizer)
    for _ in range(200):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()


def one_pass_online(watch: Watch) -> None:
    """Examples of a stream, a few at a time, each seen once."""
    model = perceptron(8, 1)
    optimizer = SGD(model.parameters(), lr=0.02, momentum=0.9)
    watch(model, optimizer)
    for _ in range(400):
        a, b = table(8)
        optimizer.zero_grad()
        F.mse_loss(model(a), b).backward()
        optimizer.step()


LOOPS = (
    plain_classifier,
    convolutions_with_momentum,
    regression,
    language_model,
    recurrent_classifier,
    accumulation,
    bfloat16_autocast,
    line_search,
    validation_every_few_steps,
    early_stopping,
    folds,
    one_batch_on_purpose,
    full_batch,
    one_pass_online,
)
