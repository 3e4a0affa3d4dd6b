"""Short runs from the present weights, at any learning rate, with the same batches."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn
from torch.optim import Optimizer

from corollary.core.randomness import derived_seed
from corollary.errors import InputError
from corollary.theory.modules.keeping import kept
from corollary.train.batches import Data
from corollary.train.objective import Loss
from corollary.train.preparation import MakeOptimizer
from corollary.train.trainer import fit

TAIL = 4  # the last quarter of the steps is averaged


@dataclass(frozen=True)
class Trial:
    """What some steps at one learning rate led to."""

    rate: float
    steps: int
    losses: tuple[float, ...]  # mean of the last quarter of the steps, for each seed

    @property
    def loss(self) -> float:
        """The mean over seeds; infinite if a run has diverged."""
        return sum(self.losses) / len(self.losses)


@dataclass(frozen=True)
class Trials:
    """Runs that leave the model as it was.

    Runs with the same seed see the same batches, so their losses differ by the learning rate alone.
    """

    model: nn.Module
    data: Data = field(repr=False)
    loss: Loss
    optimizer: MakeOptimizer
    seed: int = 0
    options: dict[str, Any] = field(default_factory=dict)  # of fit

    def run(self, rate: float, steps: int, seeds: int = 1) -> Trial:
        """Some steps at a learning rate, with several orders of the data."""
        return Trial(rate, steps, tuple(self._loss(rate, steps, k) for k in range(seeds)))

    def warm(self, steps: int) -> Optimizer:
        """An optimizer that has seen gradients at the present weights, with learning rate 1.

        The learning rate is zero during these steps, so that the weights stay where they are.
        """
        made: list[Optimizer] = []

        def still(parameters: Iterable[Tensor]) -> Optimizer:
            made.append(with_rate(self.optimizer, 0.0)(parameters))
            return made[0]

        with kept(self.model):
            self._fit(still, steps, 0)
        for group, share in zip(made[0].param_groups, shares(self.optimizer, made[0]), strict=True):
            group["lr"] = share
        return made[0]

    def _loss(self, rate: float, steps: int, k: int) -> float:
        with kept(self.model):
            losses = self._fit(with_rate(self.optimizer, rate), steps, k)
        last = losses[-max(2, steps // TAIL) :]
        complete = len(losses) == steps and all(map(math.isfinite, last))
        return sum(last) / len(last) if complete else math.inf

    def _fit(self, make: MakeOptimizer, steps: int, k: int) -> list[float]:
        seed = derived_seed(self.seed, "learning rate", k)
        given = {"on_nan": "stop", "sharding": "none"} | self.options
        return fit(self.model, self.data, self.loss, make, steps=steps, rng=seed, **given).losses


def with_rate(make: MakeOptimizer, rate: float) -> Callable[[Iterable[Tensor]], Optimizer]:
    """The same optimizer at another learning rate; those of its groups keep their ratios.

    Example:
        >>> import torch
        >>> w = [{"params": [torch.zeros(1)], "lr": 0.1}, {"params": [torch.zeros(1)], "lr": 0.4}]
        >>> made = with_rate(lambda parameters: torch.optim.SGD(w), 1.0)([])
        >>> [group["lr"] for group in made.param_groups]
        [0.25, 1.0]
    """

    def made(parameters: Iterable[Tensor]) -> Optimizer:
        optimizer = make(parameters)
        top = _largest(optimizer)
        for group in optimizer.param_groups:
            group["lr"] = rate * (float(group["lr"]) / top)
        return optimizer

    return made


def shares(make: MakeOptimizer, like: Optimizer) -> list[float]:
    """The learning rates of the groups, divided by the largest."""
    fresh = make([p for group in like.param_groups for p in group["params"]])
    top = _largest(fresh)
    return [float(group["lr"]) / top for group in fresh.param_groups]


def _largest(optimizer: Optimizer) -> float:
    top = max(float(group["lr"]) for group in optimizer.param_groups)
    if not 0 < top < math.inf:
        raise InputError(
            f"expected an optimizer with a positive learning rate, got {top:g}; its value does not "
            "matter here, but the ratios of its groups do"
        )
    return top
