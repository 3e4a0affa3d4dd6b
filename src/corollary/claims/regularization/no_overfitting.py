r"""Wide networks: the test error does not grow past zero training error.

Two-layer networks of growing width are trained without any regulariser. Beyond some width the
training error is 0, so a wider network cannot fit better; it has ever more ways to fit badly. Yet

.. math:: \frac{\mathrm{err}_{\mathrm{test}}(H_{\max})}
   {\mathrm{err}_{\mathrm{test}}(H_{\mathrm{interpolation}})}\le1+\varepsilon

on average over training sets: the error on new data goes on falling or stays where it is. What
regularises is the way of training. Measured are the training errors of the two widest networks,
which are 0, and this ratio. If the widest network is stopped early, both fail.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 11, Figure 11.1; Neyshabur, Tomioka
    and Srebro (2015), "In search of the real inductive bias: on the role of implicit regularization
    in deep learning".
:kind: experiment
:cost: minutes
:covers: no-overfitting-with-width
"""

import math
from typing import Any, Literal, NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Kept, Sample, Suppose, Trial, at_most, option
from corollary.core.picture import Level, Marks, Points, Role, picture
from corollary.data.real import digits, mnist
from corollary.train.width_sweep import Width, interpolation_width, width_sweep


class Given(NamedTuple):
    steps: tuple[int, ...]  # updates that the networks of each width may make


def compared(sweep: list[Width]) -> list[Sample]:
    """For each training set: the larger of the last two training errors, and the ratio."""
    left = [max(pair) for pair in zip(*(entry.train for entry in sweep[-2:]), strict=True)]
    pairs = zip(sweep[-1].test, first_fit(sweep).test, strict=True)
    return [Sample(left), Sample([a / b if b else math.inf for a, b in pairs])]


def first_fit(sweep: list[Width]) -> Width:
    """The first width that fits; the best test error before it if none does."""
    fits = [entry for entry in sweep if entry.width == interpolation_width(sweep)]
    return fits[0] if fits else min(sweep, key=lambda entry: entry.mean_test)


class NoOverfitting(Claim[Given]):
    dataset: Literal["digits", "mnist"] = "digits"  # mnist has to be on disk or reachable
    n: int = option(200, low=20, high=60_000)  # training images
    widths: tuple[int, ...] = option((4, 8, 16, 32, 128), low=1)  # hidden units
    stop: Literal["zero_train", "converged"] = "converged"  # rule that ends a run
    steps: int = option(120, low=10, high=100_000)  # updates at most
    seeds: int = option(12, low=2, high=50)  # training sets, each with a network of each width
    slack: float = option(0.15, low=0.0, high=1.0)  # part by which the widest may be worse

    relation = at_most(level=0.99)  # the mean ratio over the training sets, with its interval
    supposes = Suppose(
        "the largest number of updates is the same for all networks",
        lambda self, g: min(g.steps) - self.steps + 1,
        "The widest network is stopped after three steps, before it fits the data.",
        steps=lambda g: (*g.steps[:-1], 3),
    )
    symbols = "0, and 1 + slack", "mean over training sets"
    rows = "training error", "test error of the widest / of the first that fits"

    def given(self, rng: Generator) -> Given:
        return Given((self.steps,) * len(self.widths))

    def predict(self, given: Given) -> list[float]:
        return [0.0, 1 + self.slack]

    def measure(self, given: Given, rng: Generator) -> Kept:
        load, sweeps = digits if self.dataset == "digits" else mnist, []
        (x, y), (x_test, y_test) = load("train"), load("test")
        for _ in range(self.seeds):
            seed = int(torch.randint(2**31, (1,), generator=rng))
            chosen = torch.randperm(len(x), generator=rng)[: self.n]
            data = (x[chosen].double(), y[chosen]), (x_test.double(), y_test)
            how: dict[str, Any] = {"stop": self.stop, "seeds": 1, "seed": seed}
            pairs = zip(self.widths, given.steps, strict=True)
            sweeps.append([width_sweep(*data, widths=[w], steps=k, **how)[0] for w, k in pairs])
        sweep = [_joined(entries) for entries in zip(*sweeps, strict=True)]
        return Kept(compared(sweep), sweep=sweep)

    @picture(
        "Past zero training error the test error does not grow",
        x="hidden units H",
        y="share of errors",
        log="x",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        sweep = trial.kept.sweep
        widths = [entry.width for entry in sweep]

        def errors(name: str, role: Role) -> Points:
            runs = torch.tensor([getattr(entry, name) for entry in sweep])
            low, high = runs.amin(1), runs.amax(1)
            label = f"{name} error"
            return Points(widths, runs.mean(1), label=label, role=role, low=low, high=high)

        yield errors("train", "other")
        yield errors("test", "measured")
        yield Level(first_fit(sweep).mean_test, label="test error of the first that fits")


def _joined(entries: tuple[Width, ...]) -> Width:
    """One width on several training sets."""
    columns = ((e.train, e.test, e.steps) for e in entries)
    return Width(entries[0].width, *(sum(c, ()) for c in zip(*columns, strict=True)))
