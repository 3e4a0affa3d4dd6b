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
:cost: seconds
:covers: no-overfitting-with-width
"""

import math
from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, Sample, at_most, option
from corollary.data.real import digits, mnist
from corollary.train.width_sweep import Pair, Width, interpolation_width, width_sweep


class Given(NamedTuple):
    """What was found at each width, one entry a training set."""

    sweep: list[Width]


class NoOverfitting(Claim[Given]):
    dataset: Literal["digits", "mnist"] = "digits"  # mnist has to be on disk or reachable
    n: int = option(200, low=20, high=60_000)  # training images
    widths: tuple[int, ...] = option((4, 8, 16, 32, 128), low=1)  # hidden units
    stop: Literal["zero_train", "converged"] = "converged"  # when a run ends
    steps: int = option(120, low=10, high=100_000)  # updates at most
    seeds: int = option(8, low=2, high=50)  # training sets, each with a network of each width
    slack: float = option(0.15, low=0.0, high=1.0)  # part by which the widest may be worse
    relation = at_most(level=0.99)  # the mean ratio over the training sets, with its interval

    def given(self, rng: Generator) -> Given:
        """Images drawn without replacement, time and again, and a network of each width trained."""
        return Given(self._sweep(rng, self.widths, self.steps))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The widest networks make no training error."""
        widest = given.sweep[-1]
        fits = interpolation_width(given.sweep)
        yield Hypothesis(
            "the widest networks fit the training data without an error",
            widest.mean_train == 0,
            f"training error {widest.mean_train:.1%} at {widest.width} units",
        )
        yield Hypothesis(
            "a narrower network fits them too",
            fits is not None and fits < widest.width,
            f"from {fits} units on",
        )

    def predict(self, given: Given) -> float:
        """No worse, up to the slack."""
        return 1 + self.slack

    def measure(self, given: Given) -> Sample:
        """The test error of the widest network over that of the first that fits, set by set."""
        first, widest = _at_interpolation(given.sweep), given.sweep[-1]
        return Sample(
            [a / b if b else math.inf for a, b in zip(widest.test, first.test, strict=True)]
        )

    def counterexample(self, rng: Generator) -> Given:
        """The widest network is stopped after three steps."""
        narrow = self._sweep(rng, self.widths[-2:-1], self.steps)
        return Given([*narrow, *self._sweep(rng, self.widths[-1:], 3)])

    def figure(self, given: Given) -> Figure:
        """Both errors over the width, with their spread over the training sets."""
        widths = [entry.width for entry in given.sweep]

        def points(name: str, role: str) -> Points:
            runs = [getattr(entry, name) for entry in given.sweep]
            mean = [sum(r) / len(r) for r in runs]
            return Points(
                widths,
                mean,
                low=[min(r) for r in runs],
                high=[max(r) for r in runs],
                label=f"{name} error",
                role=role,
            )

        test = [entry.mean_test for entry in given.sweep]
        return Figure(
            "Past zero training error the test error does not grow",
            x="hidden units H",
            y="share of errors",
            log_x=True,
            marks=(
                points("train", "other"),
                points("test", "measured"),
                Curve(test, x=widths, label="mean test error"),
                Level(
                    _at_interpolation(given.sweep).mean_test,
                    label="test error of the first that fits",
                ),
            ),
        )

    def _sweep(self, rng: Generator, widths: tuple[int, ...], steps: int) -> list[Width]:
        """Errors at each width, one entry a training set."""
        sweeps = []
        for _ in range(self.seeds):
            seed = int(torch.randint(2**31, (1,), generator=rng))
            train, test = self._data(rng)
            sweeps.append(
                width_sweep(
                    train, test, widths=widths, stop=self.stop, steps=steps, seeds=1, seed=seed
                )
            )
        return [_joined(entries) for entries in zip(*sweeps, strict=True)]

    def _data(self, rng: Generator) -> tuple[Pair, Pair]:
        load = digits if self.dataset == "digits" else mnist
        (x, y), (x_test, y_test) = load("train"), load("test")
        chosen = torch.randperm(len(x), generator=rng)[: self.n]
        return (x[chosen].double(), y[chosen]), (x_test.double(), y_test)


def _at_interpolation(sweep: list[Width]) -> Width:
    """The first width that fits; the best test error before it if none does."""
    fits = interpolation_width(sweep)
    if fits is not None:
        return next(entry for entry in sweep if entry.width == fits)
    return min(sweep, key=lambda entry: entry.mean_test)


def _joined(entries: tuple[Width, ...]) -> Width:
    """One width on several training sets."""
    columns = ((e.train, e.test, e.steps) for e in entries)
    return Width(entries[0].width, *(sum(c, ()) for c in zip(*columns, strict=True)))
