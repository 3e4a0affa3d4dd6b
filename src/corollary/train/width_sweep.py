"""Two-layer networks of growing width on one task: what happens past zero training error."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from corollary.core.randomness import derived_seed, generator
from corollary.errors import InputError
from corollary.models.mlp import MLP
from corollary.train.loop import Loop
from corollary.train.trainer import fit

Pair = tuple[Tensor, Tensor]
Stop = Literal["zero_train", "converged"]


@dataclass(frozen=True)
class Width:
    """What one width led to, one entry per seed."""

    width: int
    train: tuple[float, ...]  # share of training errors at the end
    test: tuple[float, ...]  # share of test errors at the end
    steps: tuple[int, ...]  # updates until the stop

    @property
    def mean_train(self) -> float:
        """Over the seeds."""
        return sum(self.train) / len(self.train)

    @property
    def mean_test(self) -> float:
        """Over the seeds."""
        return sum(self.test) / len(self.test)


def width_sweep(
    train: Pair,
    test: Pair,
    *,
    widths: Sequence[int],
    stop: Stop = "converged",
    steps: int = 300,
    lr: float = 0.01,
    seeds: int = 2,
    seed: int = 0,
) -> list[Width]:
    """Train ReLU networks with one hidden layer by Adam on all data, without any regulariser.

    Args:
        train: Inputs (rows are flattened) and class numbers to learn from.
        test: The same, to be judged on.
        widths: Hidden units of each network.
        stop: At the first step with no training error, or only when the loss is below 0.001.
        steps: Updates at most.
        lr: The learning rate.
        seeds: Networks of each width.
        seed: Where all randomness comes from.

    Example:
        >>> x = torch.eye(2, dtype=torch.float64)
        >>> found = width_sweep((x, torch.arange(2)), (x, torch.arange(2)), widths=[4], seeds=1)
        >>> found[0].train, found[0].test
        ((0.0,), (0.0,))

    :source: Lucchi (2025), Foundations of Deep Learning, Figure 11.1; Neyshabur, Tomioka and Srebro
        (2015), "In search of the real inductive bias".
    :covers: no-overfitting-with-width
    """
    if stop not in ("zero_train", "converged"):
        raise InputError(f"expected stop to be 'zero_train' or 'converged', got {stop!r}")
    if seeds < 1 or not widths:
        raise InputError(
            f"a sweep needs widths and seeds >= 1, got widths={list(widths)}, seeds={seeds}"
        )
    (x, y), (x_test, y_test) = train, test
    x, x_test = x.flatten(1), x_test.flatten(1)
    classes = int(max(y.max(), y_test.max())) + 1
    found = []
    for width in widths:
        runs = []
        for k in range(seeds):
            rng = generator(seed, "width", width, k)
            net = MLP([x.shape[1], width, classes], rng=rng, dtype=x.dtype)
            made = _train(net, (x, y), stop, steps, lr, derived_seed(seed, "fit", width, k))
            runs.append((_errors(net, x, y), _errors(net, x_test, y_test), made))
        found.append(Width(width, *(tuple(column) for column in zip(*runs, strict=True))))
    return found


def interpolation_width(found: Sequence[Width]) -> int | None:
    """The smallest width from which on no training error is left; None if there is none.

    Example:
        >>> sweep = [Width(2, (0.5,), (0.5,), (9,)), Width(4, (0.0,), (0.1,), (9,))]
        >>> interpolation_width(sweep)
        4
    """
    perfect = None
    for entry in reversed(found):
        if entry.mean_train > 0:
            break
        perfect = entry.width
    return perfect


def _train(net: MLP, data: Pair, stop: Stop, steps: int, lr: float, seed: int) -> int:
    def enough(loop: Loop) -> str | None:
        if stop == "converged":
            return "converged" if loop.history.losses[-1] < 1e-3 else None
        return "no training error" if _errors(net, *data) == 0 else None

    history = fit(
        net,
        data,
        nn.functional.cross_entropy,
        lambda parameters: torch.optim.Adam(parameters, lr=lr),
        steps=steps,
        rng=seed,
        callbacks=[enough],
    )
    return len(history)


def _errors(net: nn.Module, x: Tensor, y: Tensor) -> float:
    with torch.no_grad():
        return float((net(x).argmax(dim=1) != y).cpu().double().mean())
