r"""Test error keeps falling past zero training error.

Two-layer networks of growing width are trained without any regulariser. Beyond some width the
training error is 0, so a wider network cannot fit better; it has ever more ways to fit badly. Yet

.. math:: \frac{\mathrm{err}_{\mathrm{test}}(H_{\max})}
   {\mathrm{err}_{\mathrm{test}}(H_{\mathrm{interpolation}})}\le1+\varepsilon

on average over training sets: the error on new data goes on falling or stays where it is. What
regularises is the way of training. If the widest network is stopped before it fits, the comparison
fails.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 11, Figure 11.1; Neyshabur, Tomioka
    and Srebro (2015), "In search of the real inductive bias: on the role of implicit regularization
    in deep learning".
:kind: experiment
:cost: minutes
:covers: no-overfitting-with-width
"""

import math
from typing import Literal, NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Sample, Suppose, Trial, at_most, option
from corollary.core.picture import Level, Marks, Points, Role, picture
from corollary.data.real import digits, mnist
from corollary.train.width_sweep import Width, interpolation_width, width_sweep


class Given(NamedTuple):
    sweep: list[Width]  # what was found at each width, one entry per training set


def _fits(given: Given) -> tuple[bool, str]:
    widest = given.sweep[-1]
    return widest.mean_train == 0, f"training error {widest.mean_train:.1%} at {widest.width} units"


def _narrower(given: Given) -> tuple[bool, str]:
    first = interpolation_width(given.sweep)
    return first is not None and first < given.sweep[-1].width, f"from {first} units on"


def stopped_early(self: "NoOverfitting", rng: Generator) -> Given:
    """The widest network is stopped after three steps, before it fits."""
    narrow = self.sweep(rng, self.widths[-2:-1], self.steps)
    return Given([*narrow, *self.sweep(rng, self.widths[-1:], 3)])


def _first_fit(given: Given) -> Width:
    """The first width that fits; the best test error before it if none does."""
    fits = [entry for entry in given.sweep if entry.width == interpolation_width(given.sweep)]
    return fits[0] if fits else min(given.sweep, key=lambda entry: entry.mean_test)


class NoOverfitting(Claim[Given]):
    dataset: Literal["digits", "mnist"] = "digits"  # mnist has to be on disk or reachable
    n: int = option(200, low=20, high=60_000)  # training images
    widths: tuple[int, ...] = option((4, 8, 16, 32, 128), low=1)  # hidden units
    stop: Literal["zero_train", "converged"] = "converged"  # when a run ends
    steps: int = option(120, low=10, high=100_000)  # updates at most
    seeds: int = option(8, low=2, high=50)  # training sets, each with a network of each width
    slack: float = option(0.15, low=0.0, high=1.0)  # part by which the widest may be worse

    relation = at_most(level=0.99)  # the mean ratio over the training sets, with its interval
    supposes = (
        Suppose(
            "the widest networks fit the training data without an error",
            _fits,
            without=stopped_early,
        ),
        Suppose("a narrower network fits them too", _narrower),
    )
    symbols = "1 + slack", "test error of the widest over that of the first that fits"

    def given(self, rng: Generator) -> Given:
        return Given(self.sweep(rng, self.widths, self.steps))

    def sweep(self, rng: Generator, widths: tuple[int, ...], steps: int) -> list[Width]:
        """Errors at each width, one entry per training set."""
        load, sweeps = digits if self.dataset == "digits" else mnist, []
        (x, y), (x_test, y_test) = load("train"), load("test")
        for _ in range(self.seeds):
            seed = int(torch.randint(2**31, (1,), generator=rng))
            chosen = torch.randperm(len(x), generator=rng)[: self.n]
            train, test = (x[chosen].double(), y[chosen]), (x_test.double(), y_test)
            sweeps.append(
                width_sweep(
                    train, test, widths=widths, stop=self.stop, steps=steps, seeds=1, seed=seed
                )
            )
        return [_joined(entries) for entries in zip(*sweeps, strict=True)]

    def predict(self, given: Given) -> float:
        return 1 + self.slack

    def measure(self, given: Given) -> Sample:
        pairs = zip(given.sweep[-1].test, _first_fit(given).test, strict=True)
        return Sample([a / b if b else math.inf for a, b in pairs])

    @picture(
        "Past zero training error the test error does not grow",
        x="hidden units H",
        y="share of errors",
        log="x",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        sweep = trial.given.sweep
        widths = [entry.width for entry in sweep]

        def errors(name: str, role: Role) -> Points:
            runs = torch.tensor([getattr(entry, name) for entry in sweep])
            low, high = runs.amin(1), runs.amax(1)
            label = f"{name} error"
            return Points(widths, runs.mean(1), label=label, role=role, low=low, high=high)

        yield errors("train", "other")
        yield errors("test", "measured")
        yield Level(_first_fit(trial.given).mean_test, label="test error of the first that fits")


def _joined(entries: tuple[Width, ...]) -> Width:
    """One width on several training sets."""
    columns = ((e.train, e.test, e.steps) for e in entries)
    return Width(entries[0].width, *(sum(c, ()) for c in zip(*columns, strict=True)))
