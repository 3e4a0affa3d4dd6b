"""A real bug: where it was reported, the network with it and without it, what must be named."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader

Arguments = dict[str, Any]  # keyword arguments of corollary.examine
Score = Callable[[nn.Module, Tensor, Tensor], float]


@dataclass(frozen=True)
class Bug:
    """One bug of a public source, told again in our own words and code.

    The fix matters if the network without the bug scores at least ``good`` after its short
    training and the network with the bug, from the same seed, at most ``bad``.
    """

    name: str
    source: str  # address, or repository and number
    kind: str
    what: str  # the mistake, in one sentence
    make: Callable[[bool], Arguments]  # of whether the bug is in it
    cause: tuple[str, ...]  # words of which a right finding has each; "a|b" is a or b
    score: Score  # of the trained network; more is better
    bad: float
    good: float

    def buggy(self, seed: int = 0) -> Arguments:
        """What the author of the bug would give to ``corollary.examine``."""
        return self._made(True, seed)

    def fixed(self, seed: int = 0) -> Arguments:
        """The same after the fix."""
        return self._made(False, seed)

    def trained_score(self, arguments: Arguments, seed: int = 0) -> float:
        """Train as the arguments say, then score on held-out data, or else on the data."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed + 1)
            train(arguments)
            x, y = whole(arguments.get("held_out") or arguments["data"])
            model = arguments["model"].eval()
            with torch.no_grad():
                score = self.score(model, x, y)
        return score if score == score else -float("inf")  # NaN is worse than anything

    def fix_matters(self, seed: int = 0) -> bool:
        """Whether the fixed network trains, and the buggy one is clearly worse."""
        fixed = self.trained_score(self.fixed(seed), seed)
        return fixed >= self.good and self.trained_score(self.buggy(seed), seed) <= self.bad

    def _made(self, broken: bool, seed: int) -> Arguments:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return self.make(broken)


def train(arguments: Arguments) -> None:
    """Take the optimizer steps that the arguments ask for, as a plain loop would."""
    model, loss, optimizer = (arguments[k] for k in ("model", "loss", "optimizer"))
    scheduler = arguments.get("scheduler")
    model.train()
    for _, (x, y) in zip(range(arguments["steps"]), batches(arguments), strict=False):
        optimizer.zero_grad()
        loss(model(x), y).backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()


def batches(arguments: Arguments) -> Iterator[tuple[Tensor, Tensor]]:
    """Batches without end: of the loader as it is, or random ones of tensors."""
    data = arguments["data"]
    if isinstance(data, DataLoader):
        yield from chain.from_iterable(repeat(data))
    x, y = data
    while True:
        chosen = torch.randint(len(y), (arguments["batch_size"],))
        yield x[chosen], y[chosen]


def whole(data: Any) -> tuple[Tensor, Tensor]:
    """All inputs and targets of a loader or of a pair."""
    if not isinstance(data, DataLoader):
        x, y = data
        return x, y
    x, y = zip(*data, strict=True)
    return torch.cat(x), torch.cat(y)
