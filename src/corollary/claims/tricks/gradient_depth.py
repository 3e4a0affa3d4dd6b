r"""Gradients against depth at the start.

In a deep linear network of :math:`d\times d` Gaussian layers of variance :math:`s_2` the squared
gradient of :math:`\frac12\|W^L\cdots W^1x\|^2` in the first layer is, on average,

.. math:: \frac{\|x\|^4}{3s_2}\Bigl(\bigl[s_2^2\,d(d+2)\bigr]^L-\bigl[s_2^2\,d(d-1)\bigr]^L\Bigr),

so it vanishes for :math:`s_2<1/d` and explodes for :math:`s_2>1/d`, exponentially in the depth. At
Xavier's :math:`s_2=1/d` it grows like :math:`(1+2/d)^L\approx e^{2L/d}`, bounded while
:math:`L\ll d`. Measured in units of this mean, at three variances and growing depth.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 6.2.3 and 6.3, Theorem 52; Glorot and
    Bengio (2010), "Understanding the difficulty of training deep feedforward neural networks". The
    exact value is ours.
:kind: identity
:uses: deep_linear_gradient, cross_entropy_deep_linear
:covers: xavier-init
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Kept, Sample, Suppose, Trial, option, within_interval
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.core.randomness import normal
from corollary.core.witness import mean_is
from corollary.theory.landscape.random_products import (
    gaussian_fourth_moment,
    layer_gradient_second_moment,
)

GAINS = (0.5, 1.0, 2.0)  # d times the variance


class Given(NamedTuple):
    W: Float[Tensor, "L draws d d"]  # layers, in units of their standard deviation


class GradientDepth(Claim[Given]):
    d: int = option(12, low=4, high=40)  # width
    L: int = option(4, low=2, high=10)  # largest depth
    draws: int = option(4000, low=1000, high=200_000)  # networks

    relation = within_interval(
        level=0.999999, resolution=0.5, coarse="squared gradients of deep products have long tails"
    )  # chance: one seed in a million
    supposes = Suppose(
        "the weights have mean 0",
        lambda g: mean_is(g.W),
        "The weights have a mean, so one direction grows with every layer.",
        W=lambda g: g.W + 0.5,
    )
    symbols = "1", "squared gradient / predicted mean"
    shows = Along("Squared gradient divided by its predicted mean", x="variance and depth")

    def given(self, rng: Generator) -> Given:
        return Given(normal(rng, self.L, self.draws, self.d, self.d))

    def predict(self, given: Given) -> list[float]:
        return [1.0] * 3 * len(self._depths())

    def measure(self, given: Given) -> Kept:
        squares = {L: self._squares(given, L) for L in self._depths()}
        ratios = [
            Sample(found * gain ** (2 * L - 1) / self._mean(L, gain))
            for gain in GAINS
            for L, found in squares.items()
        ]
        return Kept(ratios, squares=squares)

    @picture("Gradients at the start against depth", x="L", y="E‖∂ℓ/∂W¹‖²", log="y")
    def marks(self, trial: Trial[Given]) -> Marks:
        depths = list(range(1, 2 * self.d + 1))
        unit = self._mean(1, 1.0)
        slow = [unit * gaussian_fourth_moment(self.d, 1 / self.d, L - 1) for L in depths]
        yield from self._lines(trial, depths)
        yield Curve(slow, depths, "∝ (1 + 2/d)^L", "other")

    def _lines(self, trial: Trial[Given], depths: list[int]) -> Iterator[Curve | Points]:
        for gain in GAINS:
            exact = [self._mean(L, gain) for L in depths]
            yield Curve(exact, depths, f"mean, d s₂ = {gain:g}", "predicted")
            scaled = {L: v * gain ** (2 * L - 1) for L, v in trial.kept.squares.items()}
            reads = [Sample(v).read(0.99) for v in scaled.values()]
            low, high = [r.low for r in reads], [r.high for r in reads]
            label = f"measured, d s₂ = {gain:g}"
            yield Points(list(scaled), [r.value for r in reads], label, low=low, high=high)

    def _depths(self) -> list[int]:
        return sorted({1, 2, self.L - 1, self.L})

    def _mean(self, L: int, gain: float) -> float:
        return layer_gradient_second_moment(self.d, L, 1, gain / self.d, rho=1.0, gamma=0.0)

    def _squares(self, given: Given, L: int) -> Tensor:
        """Squared norms for weights of variance 1/d and a unit vector x."""
        W = given.W[:L] / self.d**0.5
        h = torch.full((self.draws, self.d, 1), self.d**-0.5, dtype=torch.float64)
        for layer in (*W, *W[1:].mT.flip(0)):
            h = layer @ h
        return h.square().sum(dim=(1, 2))
