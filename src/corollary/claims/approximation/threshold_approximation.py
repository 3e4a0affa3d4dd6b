r"""A threshold network for a Lipschitz function.

Let :math:`g:[0,1]\to\mathbb{R}` be :math:`\rho`-Lipschitz and
:math:`m=\max(1,\lceil\rho/\epsilon\rceil)`. With :math:`b_i=i\epsilon/\rho`, :math:`a_0=g(0)` and
:math:`a_i=g(b_i)-g(b_{i-1})` for :math:`i\ge1` the network of m threshold units

.. math:: f(x)=\sum_{i=0}^{m-1}a_i\,\mathbb{1}[x\ge b_i]\quad\text{satisfies}\quad
   \sup_{x\in[0,1]}|f(x)-g(x)|\le\epsilon .

With the value of g in the middle of each step :math:`\lceil\rho/2\epsilon\rceil` units suffice.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.2, Theorem 14; Telgarsky (2021),
    Deep learning theory lecture notes.
:kind: construction
:covers: threshold-network-1d
:erratum: [wrong] As worded, Theorem 14 asserts the bound for every 2-layer net with ceil(rho/eps)
    threshold nodes; the proof constructs one, and the statement should say so. rho = 0 promises no
    node, and the empty network misses g = 5 by 5: one is needed.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Band, Claim, Curve, Kept, Marks, Suppose, Trial, at_most, option, picture
from corollary.data.waves import random_wave
from corollary.models.approximators.steps import threshold_network

GRID = torch.linspace(0, 1, 20_001, dtype=torch.float64)[:, None]


class Given(NamedTuple):
    g: Callable[[Tensor], Tensor]  # function
    rho: float  # said to be its Lipschitz constant


class ThresholdApproximation(Claim[Given]):
    rho: float = option(5.0, low=0.1, high=100.0)  # Lipschitz constant of the target
    eps: float = option(0.2, low=0.01, high=1.0)  # allowed error
    values: Literal["left", "middle"] = "left"  # point of each step at which the network equals g

    relation = at_most(ulps=64)  # a telescoping sum of m terms is rounded
    supposes = Suppose(
        "g is rho-Lipschitz",
        lambda g: g.rho * (1 + 1e-9) - 20_000 * g.g(GRID).diff().abs().max(),
        "With a third of the true Lipschitz constant, the steps are too wide.",
        rho=lambda g: g.rho / 3,
    )
    symbols = "ε", "sup |f − g|"

    def given(self, rng: Generator) -> Given:
        return Given(random_wave(1, self.rho, rng=rng), self.rho)

    def predict(self, given: Given) -> float:
        return self.eps

    def measure(self, given: Given) -> Kept:
        net = threshold_network(given.g, given.rho, self.eps, values=self.values)
        f = net(GRID).detach()
        return Kept(float((f - given.g(GRID)).abs().max()), f=f[::20], units=net.units)

    def tight(self) -> Given:
        """A straight line that is nearly as steep as rho."""
        return Given(lambda x: 0.9 * self.rho * x[:, 0], self.rho)

    @picture("{units} threshold units within ε of g", x="x", y="g(x), f(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        x, g = GRID[::20, 0], trial.given.g(GRID[::20])
        yield Band(x, g - self.eps, g + self.eps, label="g ± ε", role="predicted")
        yield Curve(g, x, label="g", role="predicted")
        yield Curve(trial.kept.f, x, label="f")
