r"""Test error keeps falling past zero training error.

Two-layer networks of growing width are trained without any regulariser. Beyond some width the
training error is 0, so a wider network cannot fit better; it has ever more ways to fit badly. Yet

.. math:: \mathrm{err}_{\mathrm{test}}(H_{\max})\le
   \mathrm{err}_{\mathrm{test}}(H_{\mathrm{interpolation}})+\varepsilon :

the error on new data goes on falling or stays where it is. What regularises is the way of training.
If the widest network is stopped before it fits, the comparison fails.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 11, Figure 11.1; Neyshabur, Tomioka
    and Srebro (2015), "In search of the real inductive bias: on the role of implicit regularization
    in deep learning".
:kind: experiment
:cost: seconds
:covers: no-overfitting-with-width
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_most, option
from corollary.data.real import digits, mnist
from corollary.train.width_sweep import Pair, Width, interpolation_width, width_sweep


class Given(NamedTuple):
    """What was found at each width."""

    sweep: list[Width]


@dataclass(frozen=True)
class NoOverfitting(Claim[Given]):
    """The test error of the widest network against that of the first that fits."""

    dataset: Literal["digits", "mnist"] = "digits"  # mnist has to be on disk or reachable
    n: int = option(200, low=20, high=60_000)  # training images
    widths: tuple[int, ...] = option((2, 4, 8, 16, 32, 128), low=1)  # hidden units
    stop: Literal["zero_train", "converged"] = "converged"  # when a run ends
    steps: int = option(120, low=10, high=100_000)  # updates at most
    seeds: int = option(2, low=1, high=50)  # networks of each width
    slack: float = option(0.02, low=0.0, high=0.5)  # test error by which the widest may be worse
    relation = at_most(ulps=0)  # shares of errors; the slack is part of the statement

    def given(self, rng: Generator) -> Given:
        """Images drawn without replacement, and a network of each width and seed trained."""
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
        """The test error at the interpolation width, and the slack."""
        return _at_interpolation(given.sweep).mean_test + self.slack

    def measure(self, given: Given) -> float:
        """The test error of the widest networks."""
        return given.sweep[-1].mean_test

    def counterexample(self, rng: Generator) -> Given:
        """The widest network is stopped after three steps."""
        narrow = self._sweep(rng, self.widths[-2:-1], self.steps)
        return Given([*narrow, *self._sweep(rng, self.widths[-1:], 3)])

    def figure(self, given: Given) -> Figure:
        """Both errors over the width, with their spread over the seeds."""
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
        seed = int(torch.randint(2**31, (1,), generator=rng))
        train, test = self._data(rng)
        return width_sweep(
            train, test, widths=widths, stop=self.stop, steps=steps, seeds=self.seeds, seed=seed
        )

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
