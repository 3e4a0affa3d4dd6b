r"""Square-root scaling rule of Adam.

Adam divides the mean gradient by the root of its second moment. Where noise dominates, a batch of B
examples has the second moment :math:`\sigma^2/B`, so a step moves by about
:math:`\eta\sqrt B\,\mu/\sigma`. With the learning rate :math:`\eta\sqrt B` the distance after the
same number of examples does not depend on the batch size:

.. math:: \mathbb E\,|x_n-x_0|\propto B^0,\qquad B\ll(\sigma/\mu)^2 .

Measured with torch's Adam on a slope :math:`\mu` with noise :math:`\sigma` per example.

:source: Malladi, Lyu, Panigrahi and Arora (2022), "On the SDEs and scaling rules for adaptive
    gradient algorithms", Definition 5.2; Hoffer, Hubara and Soudry (2017), "Train longer,
    generalize better", Section 4.
:kind: rate
:cost: seconds
:uses: adam_first_step
:beyond: The notes give Adam's update; this claim says how its learning rate changes with the batch
    size.
"""

from typing import NamedTuple

import torch
from torch import Generator
from torch.optim import Adam

from corollary.core import Claim, Over, Series, Suppose, normal, option, slope

RATE = 1e-3  # at batch size 1


class Given(NamedTuple):
    mu: float  # slope
    sigma: float  # standard deviation of one example's gradient
    power: float  # the learning rate grows like the batch size to this power


class SquareRootRule(Claim[Given]):
    batches: tuple[int, ...] = (1, 4, 16, 64)  # batch sizes
    examples: int = option(640, low=128, high=10**6)  # of a run
    copies: int = option(4000, low=100, high=100_000)  # independent runs
    mu: float = option(0.02, low=0.005, high=0.05)  # slope, in units of the noise

    relation = slope(gap=0.12)  # Adam's moments take some hundred steps to settle
    supposes = (
        Suppose(
            "batches are far below the noise scale (σ/μ)²",
            lambda g: 0.2 - 64 * (g.mu / g.sigma) ** 2,
            "Without noise a step has the same length at every batch size.",
            mu=3.0,
        ),
        Suppose(
            "the learning rate grows like the root of the batch size",
            lambda g: (g.power == 0.5, f"like its power {g.power:g}"),
            "With the linear rule, large batches move too far.",
            power=1.0,
        ),
    )
    symbols = "B⁰", "mean distance after the same examples"
    predicts = 0.0
    shows = Over("The same distance at every batch size", x="batch size")

    def given(self, rng: Generator) -> Given:
        sign = 1 + 0.1 * float(normal(rng, 1).tanh())
        return Given(self.mu * sign, 1.0, 0.5)

    def measure(self, given: Given, rng: Generator) -> Series:
        return Series(self.batches, [self._distance(given, b, rng) for b in self.batches])

    def _distance(self, given: Given, batch: int, rng: Generator) -> float:
        x = torch.zeros(self.copies, dtype=torch.float64, requires_grad=True)
        optimizer = Adam([x], lr=RATE * batch**given.power, betas=(0.0, 0.99))
        for _ in range(self.examples // batch):
            x.grad = given.mu + given.sigma / batch**0.5 * normal(rng, self.copies)
            optimizer.step()
        return -float(x.detach().mean())
