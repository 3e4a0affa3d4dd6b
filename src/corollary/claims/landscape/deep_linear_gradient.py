r"""Expected gradient of a deep linear network.

With the letters of Lemma 51 (Gaussian :math:`d\times d` layers of variance :math:`\sigma^2`,
:math:`\rho=\|x\|^4`, :math:`\gamma=\|x\|^2\|y\|^2`), for every layer

.. math:: \mathbb E\Bigl\|\frac{\partial\ell}{\partial W^k}\Bigr\|_F^2\le
   \frac{2\rho}{3\sigma^2}\bigl[\sigma^4d(d+2)\bigr]^L+2\gamma(\sigma^2d)^{L-1} .

The bound is largest where :math:`\sigma^2>1/d` and falls exponentially in the depth below. Measured
is the mean over networks at depths :math:`1,\dots,L`, for the first layer, where it is largest.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2.3, Theorem 52.
:kind: bound
:cost: instant
:covers: gradient-norm-theorem
:erratum: [loose] The theorem is right. The comment after it gives sigma^4 > d(d+2) as the range
    where the first term dominates; the ratio of the terms is (rho/gamma)(d/3)[s2(d+2)]^L. At
    d = 10, s2 = 0.5, L = 1 the first term is 20 times the second, with sigma^4 = 0.25 far below
    120.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, at_most, option
from corollary.theory.landscape.random_products import (
    deep_linear_gradient_bound,
    layer_gradient_second_moment,
)


class Given(NamedTuple):
    """The mean of the entries in units of their deviation, and the seed of the draws."""

    mean: float
    seed: int


class DeepLinearGradient(Claim[Given]):
    d: int = option(5, low=2, high=20)  # width
    L: int = option(5, low=2, high=10)  # depth, at most
    gain: float = option(1.0, low=0.25, high=2.0)  # d σ²
    draws: int = option(4000, low=1000, high=100_000)  # networks
    relation = at_most(level=0.9999)  # Student interval; the mean is below half of the bound

    def given(self, rng: Generator) -> Given:
        """Centred Gaussian layers."""
        return Given(0.0, int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The mean."""
        yield Hypothesis("the entries have mean zero", given.mean == 0)

    def predict(self, given: Given) -> list[float]:
        """The bound of Theorem 52 at every depth."""
        s2 = self.gain / self.d
        depths = range(1, self.L + 1)
        return [deep_linear_gradient_bound(self.d, L, s2, rho=1.0, gamma=1.0) for L in depths]

    def measure(self, given: Given) -> list[Sample]:
        """Squared gradients of the first layer, for unit vectors x and y."""
        rng = torch.Generator().manual_seed(given.seed)
        d, s2 = self.d, self.gain / self.d
        x = torch.zeros(self.draws, d, 1, dtype=torch.float64)
        x[:, 0] = 1.0
        y, out, rest, W1 = x.roll(1, dims=1), [], None, None
        for _ in range(self.L):
            W = torch.randn(self.draws, d, d, generator=rng, dtype=torch.float64)
            W = s2**0.5 * (W + given.mean)
            W1 = W if W1 is None else W1
            rest = torch.eye(d, dtype=torch.float64).expand_as(W) if rest is None else W @ rest
            error = rest.mT @ (rest @ W1 @ x - y)  # x has length 1
            out.append(Sample(error.square().sum(dim=(1, 2))))
        return out

    def counterexample(self, rng: Generator) -> Given:
        """Entries whose mean is their deviation: the constant direction is multiplied by √d."""
        return self.given(rng)._replace(mean=1.0)

    def figure(self, given: Given) -> Figure:
        """Depth by depth."""
        L, s2 = list(range(1, self.L + 1)), self.gain / self.d
        reads = [sample.read(0.99) for sample in self.measure(given)]
        exact = [layer_gradient_second_moment(self.d, i, 1, s2, rho=1.0, gamma=1.0) for i in L]
        return Figure(
            "The gradient of the first layer and its bound",
            x="L",
            y="E‖∂ℓ/∂W^1‖²",
            log_y=True,
            marks=(
                Curve(self.predict(given), x=L, label="Theorem 52", role="predicted"),
                Curve(exact, x=L, label="exact mean", role="other"),
                Points(
                    L,
                    [r.value for r in reads],
                    low=[r.low for r in reads],
                    high=[r.high for r in reads],
                    label="mean of the draws, 99 %",
                ),
            ),
        )
