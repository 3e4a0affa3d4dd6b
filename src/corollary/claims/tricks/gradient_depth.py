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
:cost: instant
:covers: xavier-init
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, option, within_interval
from corollary.theory.landscape.random_products import (
    entries,
    gaussian_fourth_moment,
    layer_gradient_second_moment,
)


class Given(NamedTuple):
    """The mean of the weights (over their deviation) and the seed of the draws."""

    mean: float
    seed: int


@dataclass(frozen=True)
class GradientDepth(Claim[Given]):
    """Squared gradients in the first layer over their predicted mean."""

    d: int = option(12, low=4, high=40)  # width
    L: int = option(4, low=2, high=10)  # largest depth
    draws: int = option(2500, low=1000, high=200_000)  # networks
    relation = within_interval(level=0.999999, resolution=0.5)  # chance: one seed in a million

    def given(self, rng: Generator) -> Given:
        """Centred weights."""
        return Given(0.0, int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The mean of the weights."""
        yield Hypothesis("the weights have mean 0", given.mean == 0)

    def predict(self, given: Given) -> list[float]:
        """Ratios of one."""
        return [1.0] * 3 * len(self._depths())

    def measure(self, given: Given) -> list[Sample]:
        """Ratios at three variances; the draws are scaled, since the weights are."""
        squares = {L: self._squares(given, L) for L in self._depths()}
        return [
            Sample(found * gain ** (2 * L - 1) / self._mean(L, gain))
            for gain in GAINS
            for L, found in squares.items()
        ]

    def counterexample(self, rng: Generator) -> Given:
        """Weights with a mean: one direction grows with every layer."""
        return self.given(rng)._replace(mean=0.5)

    def figure(self, given: Given) -> Figure:
        """The mean against depth, up to depths beyond the width."""
        depths = list(range(1, 2 * self.d + 1))
        squares = {L: self._squares(given, L) for L in self._depths()}
        marks: list[Curve | Points] = []
        for gain in GAINS:
            exact = [self._mean(L, gain) for L in depths]
            marks.append(Curve(exact, depths, f"mean, d s₂ = {gain:g}", "predicted"))
            reads = [Sample(v * gain ** (2 * L - 1)).read(0.99) for L, v in squares.items()]
            marks.append(
                Points(
                    list(squares),
                    [r.value for r in reads],
                    low=[r.low for r in reads],
                    high=[r.high for r in reads],
                    label=f"measured, d s₂ = {gain:g}",
                )
            )
        slow = [
            self._mean(1, 1.0) * gaussian_fourth_moment(self.d, 1 / self.d, L - 1) for L in depths
        ]
        marks.append(Curve(slow, depths, "∝ (1 + 2/d)^L", "other", dashed=True))
        return Figure(
            "Gradients at the start against depth",
            x="L",
            y="E‖∂ℓ/∂W¹‖²",
            log_y=True,
            marks=tuple(marks),
        )

    def _depths(self) -> list[int]:
        return sorted({1, 2, self.L - 1, self.L})

    def _mean(self, L: int, gain: float) -> float:
        return layer_gradient_second_moment(self.d, L, 1, gain / self.d, rho=1.0, gamma=0.0)

    def _squares(self, given: Given, L: int) -> Tensor:
        """Squared norms for weights of variance 1/d and a unit vector x."""
        rng = torch.Generator().manual_seed(given.seed + L)
        shape = (self.draws, self.d, self.d)
        shift = given.mean / self.d**0.5
        W = [entries("gaussian", shape, 1 / self.d, rng=rng) + shift for _ in range(L)]
        h = torch.full((self.draws, self.d, 1), self.d**-0.5, dtype=torch.float64)
        for layer in W:
            h = layer @ h
        for layer in reversed(W[1:]):
            h = layer.mT @ h
        return h.square().sum(dim=(1, 2))


GAINS = (0.5, 1.0, 2.0)  # d times the variance
