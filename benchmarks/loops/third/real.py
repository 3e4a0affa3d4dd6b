"""A real bug of a loop: where it was reported, what must be named, and a check that it matters."""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from corollary.watch.watcher import Watcher
from loops.planted import Watch


class Ended(NamedTuple):
    """What a training gives back."""

    score: float  # more is better
    watcher: Watcher | None = None  # of a callback; loops that call watch leave it out


Training = Callable[[Watch, bool], Ended]


def unwatched(*args: Any, **options: Any) -> None:
    """Stand where ``watch`` would, and look at nothing."""


@dataclass(frozen=True)
class RealBug:
    """One bug of a public source, told again in our own words and code.

    The bug matters if the correct twin ends with a score of at least ``good`` and the loop with
    the bug, from the same seed, with at most ``bad``.
    """

    name: str
    source: str  # where it was reported
    what: str  # the mistake, in one sentence
    causes: tuple[str, ...]  # words of which a right event has each; "a|b" is a or b
    train: Training
    bad: float
    good: float

    def loop(self, watch: Watch, broken: bool) -> Watcher | None:
        """Train under the watcher, with the bug or without it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.train(watch, broken).watcher

    def hits(self, events: Iterable[Any], twin: Iterable[Any]) -> list[Any]:
        """Events that have each word of the cause; what is also said of the twin is no hit."""
        common = {e.cause for e in twin}
        return [e for e in events if e.cause not in common and self.named_in(said_by(e))]

    def named_in(self, said: str) -> bool:
        """Whether a text has each word of the cause, or one of its alternatives."""
        return all(any(w in said.lower() for w in words.split("|")) for words in self.causes)

    def score(self, broken: bool, seed: int = 0) -> float:
        """Train without a watcher; a score that is not a number is worse than any other."""
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.manual_seed(seed)
            score = self.train(unwatched, broken).score
        return score if score == score else -float("inf")

    def matters(self) -> bool:
        """Whether the correct twin trains well and the bug makes it clearly worse."""
        return self.score(broken=False) >= self.good and self.score(broken=True) <= self.bad


def said_by(event: Any) -> str:
    """What an event says: its cause as words, and its sentences."""
    found = event.finding
    cause = event.cause.replace("_", " ").replace("/", " ")
    return f"{cause} {found.title} {found.meaning} {found.advice}"


@torch.no_grad()
def accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of right answers in evaluation mode; the mode is put back."""
    mode = model.training
    right = (model.eval()(x).argmax(-1) == y).float().mean()
    model.train(mode)
    return float(right)


@torch.no_grad()
def explained(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of the variance of the targets that the predictions explain."""
    mode = model.training
    left = (model.eval()(x).flatten() - y.flatten()).square().mean()
    model.train(mode)
    return 1 - float(left / y.var())


def weights(module: nn.Module) -> Tensor:
    """All parameters as one vector, copied."""
    return torch.cat([p.detach().float().flatten() for p in module.parameters()])


def moved(module: nn.Module, before: Tensor) -> float:
    """Share of the parameters that are not what they were."""
    return float((weights(module) != before).float().mean())
