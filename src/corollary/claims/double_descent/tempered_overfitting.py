r"""Tempered overfitting.

Straight lines between noisy labels pass through all of them. Between two neighbours, a share t of
the way, the noise has variance :math:`\sigma^2((1-t)^2+t^2)`, whose mean is
:math:`\frac23\sigma^2`. So for a smooth target the excess risk tends to

.. math:: \tfrac23\,\sigma^2

as the number of nodes grows: it neither vanishes nor explodes.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.3, Figure 13.3; Mallinar et al.
    (2022), "Benign, tempered, or catastrophic: a taxonomy of overfitting".
:kind: limit
:cost: instant
:covers: overfitting-taxonomy
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Points,
    Sample,
    option,
    within_interval,
)
from corollary.theory.double_descent.interpolators import linear_weights


class Given(NamedTuple):
    """How the noise of neighbours is correlated, and the seed of the draws."""

    rho: float
    seed: int


@dataclass(frozen=True)
class TemperedOverfitting(Claim[Given]):
    """Excess risk of straight lines, over the variance of the noise."""

    sizes: tuple[int, ...] = option((64, 256, 1024), low=16, high=10_000)  # nodes
    sigma: float = option(0.5, low=0.1, high=2.0)  # standard deviation of the noise
    draws: int = option(120, low=60, high=1000)  # sets of labels
    relation = within_interval(level=0.999999, resolution=0.1)  # chance: one seed in a million

    def given(self, rng: Generator) -> Given:
        """Independent noise."""
        return Given(0.0, int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The noise of neighbours."""
        yield Hypothesis("the noise of neighbouring nodes is uncorrelated", given.rho == 0)

    def predict(self, given: Given) -> list[float]:
        """The limit, at every size."""
        return [2 / 3] * len(self.sizes)

    def measure(self, given: Given) -> list[Sample]:
        """Squared distance to the target, over x."""
        rng = torch.Generator().manual_seed(given.seed)
        return [Sample(self._excess(given, n, rng)) for n in self.sizes]

    def counterexample(self, rng: Generator) -> Given:
        """Noise that neighbours share: 1/6 more."""
        return self.given(rng)._replace(rho=0.5)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """A fit, and the risk at growing n."""
        rng = torch.Generator().manual_seed(given.seed)
        nodes = torch.linspace(0, 1, 21, dtype=torch.float64)
        y = _target(nodes) + self.sigma * torch.randn(21, generator=rng, dtype=torch.float64)
        x = torch.linspace(0, 1, 201, dtype=torch.float64)
        fit = Figure(
            "Straight lines through noisy points",
            x="x",
            y="f(x)",
            marks=(
                Curve(_target(x), x, label="target", role="other"),
                Curve(y, nodes, label="interpolator"),
                Points(nodes, y, label="labels", role="other"),
            ),
        )
        reads = [sample.read(0.99) for sample in self.measure(given)]
        risk = Figure(
            "Tempered: the excess risk stays",
            x="n",
            y="excess risk / σ²",
            log_x=True,
            marks=(
                Level(2 / 3, label="2/3"),
                Points(
                    self.sizes,
                    [r.value for r in reads],
                    low=[r.low for r in reads],
                    high=[r.high for r in reads],
                    label="mean, 99 %",
                ),
            ),
        )
        return fit, risk

    def _excess(self, given: Given, n: int, rng: Generator) -> Tensor:
        nodes = torch.linspace(0, 1, n, dtype=torch.float64)
        x = torch.rand(500, generator=rng, dtype=torch.float64)
        own = torch.randn(self.draws, n + 1, generator=rng, dtype=torch.float64)
        angle = math.asin(2 * given.rho) / 2  # cos · sin is the correlation of neighbours
        noise = math.cos(angle) * own[:, 1:] + math.sin(angle) * own[:, :-1]
        y = _target(nodes) + self.sigma * noise
        off = y @ linear_weights(nodes, x).T - _target(x)
        return off.square().mean(dim=1) / self.sigma**2


def _target(x: Tensor) -> Tensor:
    return torch.sin(2 * math.pi * x)
