r"""An ensemble of wide networks fitted to points.

Wide networks trained from independent starts are Gaussian at every input, with

.. math:: \text{mean } Ay, \qquad
          \text{variance } \Sigma(x, x) + A\Sigma(X, X)A^\top - 2A\Sigma(X, x),

:math:`A = \Theta(x, X)\Theta^{-1}(I - e^{-\Theta t})`, :math:`\Theta` the tangent kernel and
:math:`\Sigma` the covariance at the start. The spread vanishes at the data as training ends.

:source: Lucchi (2025), Foundations of Deep Learning, Figure 7.3; Lee et al. (2019), "Wide neural
    networks of any depth evolve as linear models under gradient descent", Equations 14-16.
:kind: experiment
:cost: seconds
:covers: ntk-ensemble-figure
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.kernels._two_layers import Networks
from corollary.core import (
    Band,
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Points,
    Sample,
    generator,
    option,
    within_interval,
)
from corollary.theory.kernels.infinite import Dense, Relu, network
from corollary.theory.kernels.learning import wide_ensemble

STEP, STEPS = 0.05, 240
LINE = tuple(0.15 * k for k in range(-15, 16))  # from -2.25 to 2.25
CHECKED = (3, 10, 20, 27)  # places of the line
DATA = (-1.5, 0.0, 1.5)


class Given(NamedTuple):
    """Targets, a seed, and the power of the width in the output."""

    y: tuple[float, ...]
    seed: int
    alpha: float


class NtkEnsemble(Claim[Given]):
    width: int = option(256, low=8, high=4096)  # hidden units
    draws: int = option(300, low=20, high=5000)  # networks
    relation = within_interval(level=0.999, resolution=0.5)  # squares of spread 1, 300 draws

    def given(self, rng: Generator) -> Given:
        """Random signs as targets."""
        y = torch.randn(len(DATA), generator=rng, dtype=torch.float64).sign()
        return Given(tuple(y.tolist()), int(torch.randint(2**40, (), generator=rng)), 0.5)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The scaling."""
        yield Hypothesis(
            "the output is divided by the root of the width", given.alpha == 0.5,
            f"divided by n^{given.alpha:g}",
        )  # fmt: skip

    def predict(self, given: Given) -> list[float]:
        """Means, then mean squares."""
        mean, spread = _law(given.y)
        squares = mean**2 + spread**2
        return [*mean[list(CHECKED)].tolist(), *squares[list(CHECKED)].tolist()]

    def measure(self, given: Given) -> list[Sample]:
        """Outputs and their squares, over networks."""
        found = _trained(given, self.width, self.draws)[:, list(CHECKED)]
        return [Sample(c.tolist()) for c in (*found.T, *(found**2).T)]

    def counterexample(self, rng: Generator) -> Given:
        """Mean-field scaling: the spread at the start is gone, and so is its share at the end."""
        return self.given(rng)._replace(alpha=1.0)

    def figure(self, given: Given) -> Figure:
        """Networks, their mean and two standard deviations, and the data."""
        found = _trained(given, self.width, self.draws)
        mean, spread = _law(given.y)
        low, high = (mean - 2 * spread).tolist(), (mean + 2 * spread).tolist()
        some = tuple(
            Curve(f.tolist(), x=LINE, label=f"network {k + 1}", role="other")
            for k, f in enumerate(found[:4])
        )
        marks = (
            Band(LINE, low, high, label="mean ± 2 standard deviations, theory", role="predicted"),
            Curve(mean.tolist(), x=LINE, label="Θ(x, X)Θ⁻¹y", role="predicted"),
            *some,
            Curve(found.mean(0).tolist(), x=LINE, label=f"mean of {self.draws} networks",
                  role="measured"),
            Points(DATA, given.y, label="data", role="other"),
        )  # fmt: skip
        return Figure("An ensemble of trained networks", x="x", y="f(x)", marks=marks)


def _inputs(line: tuple[float, ...]) -> Float[Tensor, "p 2"]:
    """Points with a constant coordinate, which serves as bias."""
    t = torch.tensor(line, dtype=torch.float64)
    return torch.stack([t, torch.ones_like(t)], 1)


def _law(y: tuple[float, ...]) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation at the line."""
    net = network(Dense(2**0.5), Relu(), Dense(2**0.5))  # the first factor undoes 1/sqrt(d)
    targets = torch.tensor(y, dtype=torch.float64)
    law = wide_ensemble(net, _inputs(DATA), targets, _inputs(LINE), t=STEP * STEPS)
    return law.mean, law.covariance.diagonal().clamp(min=0).sqrt()


@lru_cache(maxsize=8)
def _trained(given: Given, width: int, draws: int) -> Float[Tensor, "k p"]:
    """Outputs of trained networks at the line."""
    x, y = _inputs(DATA), torch.tensor(given.y, dtype=torch.float64)
    nets = Networks.drawn(draws, width, 2, given.alpha, generator(given.seed, "networks"))
    h = STEP * width ** (2 * given.alpha - 1)
    for _ in range(STEPS):
        nets = nets.step(x, y - nets(x), h)
    return nets(_inputs(LINE))
