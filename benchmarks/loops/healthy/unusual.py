"""Data that come in an unusual order, and steps that look odd and are not."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

from loops.material import mlp
from loops.planted import Watch
from loops.second.material import Letters
from loops.third.material import batches, perceptron, split_digits, table


def curriculum(watch: Watch) -> None:
    """Easy examples first, then all."""
    x, y, _, _ = split_digits()
    order = x.var(1).argsort()
    x, y = x[order], y[order]
    model = mlp()
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for epoch in range(9):
        n = min(len(x), 500 * (epoch // 2 + 1))
        for a, b in batches(x[:n], y[:n]):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()


def balanced_by_weights(watch: Watch) -> None:
    x, y, _, _ = split_digits()
    rare = (y > 0) | (torch.rand(len(y)) < 0.1)
    x, y = x[rare], y[rare]
    each = (1.0 / y.bincount().float())[y]
    sampler = WeightedRandomSampler(each, len(x))
    data = DataLoader(TensorDataset(x, y), 64, sampler=sampler, drop_last=True)
    model = mlp()
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in data:
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()


def few_shot_episodes(watch: Watch) -> None:
    """Prototypical networks: three classes per episode, numbered anew each time."""
    x, y, _, _ = split_digits()
    model = mlp(outputs=16)
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(150):
        classes = torch.randperm(10)[:3].tolist()
        rows = [x[y == c][torch.randperm(int((y == c).sum()))[:10]] for c in classes]
        z = model(torch.cat(rows)).unflatten(0, (3, 10))
        distance = torch.cdist(z[:, 5:].flatten(0, 1), z[:, :5].mean(1))
        optimizer.zero_grad()
        F.cross_entropy(-distance, torch.arange(3).repeat_interleave(5)).backward()
        optimizer.step()


def stream_of_text(watch: Watch) -> None:
    """A state that goes on from piece to piece of eight long texts."""
    turn = torch.randint(1, 4, (8, 1)) * torch.arange(1200)
    long = (torch.randint(0, 32, (8, 1)) + turn) % 32
    model = Letters()
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    for _ in range(2):
        state = None
        for k in range(0, 1176, 24):
            out, state = model.rnn(model.token(long[:, k : k + 24]), state)
            state = tuple(s.detach() for s in state)
            loss = F.cross_entropy(model.head(out).flatten(0, 1), long[:, k + 1 : k + 25].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def most_labels_missing(watch: Watch) -> None:
    """Semi-supervised: pseudo-labels of confident predictions."""
    x, y, _, _ = split_digits()
    model = mlp()
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in batches(x, y):
            sure, guess = model(a).detach().softmax(1).max(1)
            labels = torch.where(sure > 0.9, guess, -100)
            labels[:16] = b[:16]
            seen = a + 0.1 * torch.randn_like(a)
            optimizer.zero_grad()
            F.cross_entropy(model(seen), labels).backward()
            optimizer.step()


def hard_examples_only(watch: Watch) -> None:
    x, y, _, _ = split_digits()
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in batches(x, y):
            losses = F.cross_entropy(model(a), b, reduction="none")
            optimizer.zero_grad()
            losses.topk(24).values.mean().backward()
            optimizer.step()


def penalty_and_clamp(watch: Watch) -> None:
    """A penalty of the weights in the loss, and weights that are kept in a box."""
    model = perceptron(8, 1)
    optimizer = SGD(model.parameters(), lr=0.02, momentum=0.9)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in batches(*table(1600)):
            size = sum(p.square().sum() for p in model.parameters())
            optimizer.zero_grad()
            (F.mse_loss(model(a), b) + 1e-4 * size).backward()
            optimizer.step()
            with torch.no_grad():
                for p in model.parameters():
                    p.clamp_(-1.0, 1.0)


def mixed_images(watch: Watch) -> None:
    """Mixup, with probabilities as targets and label smoothing."""
    x, y, _, _ = split_digits()
    model = mlp()
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in batches(x, y):
            share, order = float(torch.rand(())), torch.randperm(len(a))
            target = F.one_hot(b, 10).float()
            target = share * target + (1 - share) * target[order]
            optimizer.zero_grad()
            out = model(share * a + (1 - share) * a[order])
            F.cross_entropy(out, target, label_smoothing=0.1).backward()
            optimizer.step()


def samples_in_evaluation(watch: Watch) -> None:
    """Monte Carlo dropout: the evaluation is in training mode on purpose, for dropout only."""
    x, y, x_test, _ = split_digits()
    model = mlp(dropout=0.2)
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(6):
        model.train()
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
        model.eval()
        for layer in model:
            layer.train(isinstance(layer, nn.Dropout))
        with torch.no_grad():
            torch.stack([model(x_test) for _ in range(5)]).std(0)


def ensemble(watch: Watch) -> None:
    """Three networks in one module, trained together."""
    x, y, _, _ = split_digits()
    model = nn.ModuleList([mlp() for _ in range(3)])
    optimizer = Adam(model.parameters(), lr=2e-3)

    def losses(a: Tensor, b: Tensor) -> Tensor:
        return torch.stack([F.cross_entropy(net(a), b) for net in model])

    watch(model, optimizer)
    for _ in range(6):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            losses(a, b).mean().backward()
            optimizer.step()


LOOPS = (
    curriculum,
    balanced_by_weights,
    few_shot_episodes,
    stream_of_text,
    most_labels_missing,
    hard_examples_only,
    penalty_and_clamp,
    mixed_images,
    samples_in_evaluation,
    ensemble,
)
