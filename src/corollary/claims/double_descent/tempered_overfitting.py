r"""Tempered overfitting.

Straight lines between noisy labels pass through all of them. Between two neighbours, a share t of
the way, the noise has variance :math:`\sigma^2((1-t)^2+t^2)`, whose mean is
:math:`\frac23\sigma^2`. So for a smooth target the excess risk tends to

.. math:: \tfrac23\,\sigma^2

as the number of nodes grows: it neither vanishes nor explodes.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.3, Figure 13.3; Mallinar et al.
    (2022), "Benign, tempered, or catastrophic: a taxonomy of overfitting".
:kind: limit
:uses: linear_interpolation
:covers: overfitting-taxonomy
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, Trial, option, within_interval
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.core.randomness import generator, normal, uniform
from corollary.core.witness import mean_is, near
from corollary.theory.double_descent.interpolators import linear_weights


def sine(x: Tensor) -> Tensor:
    """One period."""
    return torch.sin(2 * math.pi * x)


class Given(NamedTuple):
    """The noise of the nodes and the target."""

    noise: Callable[[Generator, int, int], Tensor] = normal
    target: Callable[[Tensor], Tensor] = sine

    def drawn(self) -> Tensor:
        """Noise of many nodes, to look at."""
        return self.noise(generator(0, "noise"), 100, 1000)


def shared(rng: Generator, draws: int, n: int) -> Tensor:
    """Noise of variance 1 with a correlation of 1/2 between neighbours."""
    own = normal(rng, draws, n + 1)
    return (own[:, 1:] + own[:, :-1]) / 2**0.5


class TemperedOverfitting(Claim[Given]):
    sizes: tuple[int, ...] = option((64, 256, 1024), low=16, high=10_000)  # nodes
    sigma: float = option(0.5, low=0.1, high=2.0)  # standard deviation of the noise
    draws: int = option(120, low=60, high=1000)  # sets of labels

    relation = within_interval(level=0.999999, resolution=0.1)  # chance: one seed in a million
    supposes = (
        Suppose(
            "the noise of neighbouring nodes is uncorrelated",
            lambda g: mean_is(g.drawn()[:, 1::2] * g.drawn()[:, ::2]),
            "If neighbouring nodes share their noise, the excess risk is larger by 1/6.",
            noise=lambda g: shared,
        ),
        Suppose(
            "the noise has mean 0",
            lambda g: mean_is(g.drawn()),
            "If the noise has a mean, the mean stays in the fit for any number of nodes.",
            noise=lambda g: lambda rng, *shape: normal(rng, *shape) + 0.5,
        ),
        Suppose(
            "the target hardly changes between two nodes",
            lambda self, given: near(given.target(_nodes(self.sizes[0])).diff(), 0.0, to=0.5),
            "A target that swings between the nodes is missed.",
            target=lambda g: lambda x: sine(100.3 * x),
        ),
    )
    symbols = "2/3", "excess risk / σ²"
    shows = Along("Tempered: the excess risk does not vanish", at="sizes", x="n", log="x")

    def given(self, rng: Generator) -> Given:
        return Given()

    def predict(self, given: Given) -> list[float]:
        return [2 / 3] * len(self.sizes)

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        samples = []
        for n in self.sizes:
            x = uniform(rng, 500)
            y = given.target(_nodes(n)) + self.sigma * given.noise(rng, self.draws, n)
            off = y @ linear_weights(_nodes(n), x).T - given.target(x)
            samples.append(Sample(off.square().mean(dim=1) / self.sigma**2))
        return samples

    @picture("Linear interpolation of noisy points", x="x", y="f(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        noise, target = trial.given
        nodes, x = _nodes(21), _nodes(201)
        y = target(nodes) + self.sigma * noise(generator(0, "fit"), 1, 21)[0]
        yield Curve(target(x), x, label="target", role="other")
        yield Curve(y, nodes, label="interpolator")
        yield Points(nodes, y, label="labels", role="other")


def _nodes(n: int) -> Tensor:
    return torch.linspace(0, 1, n, dtype=torch.float64)
