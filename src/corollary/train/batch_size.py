"""The same number of passes with batches of several sizes: what is gained and what is lost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Generator, Tensor, nn

from corollary.core.measurement import Reading, Sample
from corollary.core.randomness import generator
from corollary.errors import InputError
from corollary.train.objective import Loss
from corollary.train.trainer import fit

Pair = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class BatchSize:
    """What one batch size led to, over several seeds (99 % intervals of the means)."""

    batch: int
    steps: int  # updates of a run
    train: Reading  # loss on the training data at the end
    test: Reading  # loss on the test data at the end
    noise: Reading  # squared distance of a batch gradient from the full one, at the start


def batch_size_study(
    make_model: Callable[[Generator], nn.Module],
    train: Pair,
    test: Pair,
    loss: Loss,
    *,
    batches: Sequence[int],
    epochs: int,
    lr: float | Callable[[int], float],
    seeds: int = 5,
    draws: int = 20,
    level: float = 0.99,
    seed: int = 0,
) -> list[BatchSize]:
    """Train from the same starts with each batch size, for the same number of passes.

    No order of the test losses is claimed: each comes with its interval.

    Args:
        make_model: From a generator to a fresh model.
        train: Inputs and targets to learn from.
        test: Inputs and targets to be judged on.
        loss: ``loss(output, target)``, a mean.
        batches: Sizes to try.
        epochs: Passes over the training data.
        lr: The learning rate, or a function from the batch size to it.
        seeds: Runs of each size.
        draws: Batches from which a run's gradient noise is estimated.
        level: Confidence of the intervals.
        seed: Where all randomness comes from.

    Example:
        >>> x = torch.linspace(-1, 1, 32)[:, None]
        >>> make = lambda rng: nn.Linear(1, 1, bias=False)
        >>> found = batch_size_study(
        ...     make, (x, x), (x, x), nn.functional.mse_loss, batches=(4, 32), epochs=2, lr=0.3,
        ...     seeds=2,
        ... )
        >>> [(f.batch, f.steps) for f in found], found[0].train.value < found[1].train.value
        ([(4, 16), (32, 2)], True)

    :source: Mathematical Foundations of Deep Learning (slides), Optimization; Lucchi (2025),
        Foundations of Deep Learning, Section 5.7.
    :covers: batch-size-study
    :test: tests/train/test_batch_size.py
    :erratum: [loose] The slides say that deterministic algorithms will almost surely increase the
        generalisation error; a rule of thumb, not a fact. On a strongly convex objective (ridge
        regression) gradient descent and converged SGD have the same minimiser and the same gap:
        in the tests their test losses agree to a thousandth.
    """
    if seeds < 2 or draws < 1:
        raise InputError(f"expected seeds >= 2 and draws >= 1, got seeds={seeds}, draws={draws}")
    n = len(train[0])
    wrong = [b for b in batches if not 1 <= b <= n]
    if wrong or not batches:
        raise InputError(f"batch sizes must lie between 1 and n = {n}, got {list(batches)}")
    out = []
    for batch in batches:
        step = lr(batch) if callable(lr) else lr
        rows = [
            _one(make_model, train, test, loss, batch, epochs, step, draws, seed, s)
            for s in range(seeds)
        ]
        read = [Sample(column).read(level) for column in zip(*rows, strict=True)]
        out.append(BatchSize(batch, round(read[3].value), read[0], read[1], read[2]))
    return out


def _one(
    make_model: Callable[[Generator], nn.Module],
    train: Pair,
    test: Pair,
    loss: Loss,
    batch: int,
    epochs: int,
    lr: float,
    draws: int,
    seed: int,
    s: int,
) -> tuple[float, float, float, int]:
    """One run: losses at the end, noise at the start, updates."""
    model = make_model(generator(seed, "batch size", s, "start"))  # the same for all batch sizes
    noise = _noise(model, train, loss, batch, draws, generator(seed, "batch size", s, "noise"))
    rng = generator(seed, "batch size", s, batch)
    sgd = partial(torch.optim.SGD, lr=lr)
    history = fit(model, train, loss, sgd, epochs=epochs, batch_size=batch, rng=rng)
    with torch.no_grad():
        losses = [float(loss(model(x), y)) for x, y in (train, test)]
    return losses[0], losses[1], noise, len(history)


def _noise(
    model: nn.Module, data: Pair, loss: Loss, batch: int, draws: int, rng: Generator
) -> float:
    """Mean squared distance of gradients on batches (without repetition) from the full one."""
    parameters = [p for p in model.parameters() if p.requires_grad]

    def gradient(i: Tensor) -> Tensor:
        value = loss(model(data[0][i]), data[1][i])
        return torch.cat([g.flatten() for g in torch.autograd.grad(value, parameters)])

    n = len(data[0])
    full = gradient(torch.arange(n))
    picks = (torch.randperm(n, generator=rng)[:batch] for _ in range(draws))
    return sum(float((gradient(i) - full).square().sum()) for i in picks) / draws
