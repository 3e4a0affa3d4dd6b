r"""Mean integrated squared error is squared bias plus variance.

.. math:: \mathbb{E}\int(G-f)^2=\int(\mathbb{E}G-f)^2+\int\mathbb{E}(G-\mathbb{E}G)^2

for a random function G. It holds exactly over the repeats of an experiment too, with means over the
repeats. Networks drawn from Barron's integral are unbiased: all of their error is variance.

:source: Mathematical Foundations of Deep Learning (slides), Barron's Theorem.
:kind: identity
:covers: mise
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Band, Claim, Curve, Marks, Suppose, Trial, equals, option, picture
from corollary.models.approximators.sampled import threshold_mixture
from corollary.theory.approximation.mise import split

X = (torch.arange(100, dtype=torch.float64) + 0.5) / 100
WEIGHT = torch.full_like(X, 0.01)


class Given(NamedTuple):
    drawn: Float[Tensor, "repeats 100"]  # functions at points
    f: Float[Tensor, " 100"]  # target there
    centre: Float[Tensor, " 100"]  # taken for their mean


class MiseSplit(Claim[Given]):
    repeats: int = option(40, low=2, high=1000)  # networks
    k: int = option(30, low=1, high=1000)  # thresholds per network

    relation = equals(ulps=512)  # sums of a few thousand squares
    supposes = Suppose(
        "bias and variance are about the mean of G",
        lambda g: 1e-12 - (g.centre - g.drawn.mean(0)).abs().max(),
        "If the median replaces the mean, bias and variance do not add up to the error.",
        centre=lambda g: g.drawn.median(0).values,
    )
    symbols = "mean squared error", "squared bias + variance"

    def given(self, rng: Generator) -> Given:
        tau = 2 * math.pi

        def one() -> Tensor:
            net = threshold_mixture(lambda b: tau * torch.cos(tau * b), self.k, rng=rng)
            values: Tensor = net(X[:, None])
            return values.detach()

        drawn = torch.stack([one() for _ in range(self.repeats)])
        return Given(drawn, torch.sin(tau * X), drawn.mean(0))

    def predict(self, given: Given) -> float:
        return split(given.drawn, given.f, WEIGHT).total

    def measure(self, given: Given) -> float:
        bias = float((given.centre - given.f).square() @ WEIGHT)
        return bias + float((given.drawn - given.centre).square().mean(0) @ WEIGHT)

    @picture("Bias is how far the mean is off, variance is the width", x="x", y="G(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        given, spread = trial.given, trial.given.drawn.std(0)
        yield Band(X, given.centre - spread, given.centre + spread, label="one deviation")
        yield Curve(given.f, X, label="f", role="predicted")
        yield Curve(given.centre, X, label="mean of G")
