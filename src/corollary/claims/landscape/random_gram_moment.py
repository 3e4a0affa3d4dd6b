r"""Fourth moment of a product of Gaussian matrices.

For a product :math:`M=W^m\cdots W^1` of independent :math:`d\times d` Gaussian matrices of variance
:math:`\sigma^2`,

.. math:: \mathbb E\|M^\top M\|_F^2=\frac{\sigma^{4m}}3\Bigl[(d(d+2))^{m+1}-(d(d-1))^{m+1}\Bigr]
   \le\tfrac13\sigma^{4m}(d(d+2))^{m+1},

with equality in the bound only for :math:`d=1`. Measured in units of the bound.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2, proof of Theorem 52. The exact
    value is ours: a new layer multiplies the pair of the means of tr B² and (tr B)², B = MMᵀ, by a
    matrix with eigenvalues d(d+2) and d(d-1).
:kind: identity
:cost: instant
:covers: random-gram-fourth-moment
:erratum: [loose] The proof derives the bound from Lemma 48, which treats one random factor
    independent of the rest, while each W occurs four times here. The bound is right; the mean is
    smaller, by the factor shown.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator

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
from corollary.theory.landscape.random_products import entries, gram_fourth_moment


class Given(NamedTuple):
    """The law of the entries and the seed of the draws."""

    law: str
    seed: int


class RandomGramMoment(Claim[Given]):
    d: int = option(4, low=2, high=20)  # size of the matrices
    m: int = option(3, low=1, high=6)  # factors, at most
    draws: int = option(12_000, low=2000, high=200_000)  # independent products
    relation = within_interval(level=0.999999, resolution=0.2)  # chance: one seed in a million

    def given(self, rng: Generator) -> Given:
        """Gaussian entries."""
        return Given("gaussian", int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The law."""
        yield Hypothesis("the entries are Gaussian", given.law == "gaussian")

    def predict(self, given: Given) -> list[float]:
        """Exact over bound for m = 1, 2, ..."""
        return [self._share(m) for m in range(1, self.m + 1)]

    def measure(self, given: Given) -> list[Sample]:
        """The draws over the bound; the variance 1/d keeps numbers near one."""
        rng = torch.Generator().manual_seed(given.seed)
        s2, shape, out = 1 / self.d, (self.draws, self.d, self.d), []
        M = torch.eye(self.d, dtype=torch.float64).expand(shape)
        for m in range(1, self.m + 1):
            M = entries(given.law, shape, s2, rng=rng) @ M
            bound = gram_fourth_moment(self.d, s2, m, exact=False)
            out.append(Sample((M.mT @ M).square().sum(dim=(1, 2)) / bound))
        return out

    def counterexample(self, rng: Generator) -> Given:
        """Signs have kurtosis 1, not 3."""
        return self.given(rng)._replace(law="rademacher")

    def figure(self, given: Given) -> Figure:
        """The share of the bound that is true."""
        m = list(range(1, self.m + 1))
        reads = [sample.read(0.99) for sample in self.measure(given)]
        return Figure(
            "The bound behind Theorem 52 and the exact mean",
            x="m",
            y="E‖MᵀM‖² over the bound",
            marks=(
                Level(1.0, label="bound", role="other"),
                Curve(self.predict(given), x=m, label="exact mean", role="predicted"),
                Points(
                    m,
                    [r.value for r in reads],
                    low=[r.low for r in reads],
                    high=[r.high for r in reads],
                    label="mean of the draws, 99 %",
                ),
            ),
        )

    def _share(self, m: int) -> float:
        exact, bound = (gram_fourth_moment(self.d, 1.0, m, exact=e) for e in (True, False))
        return exact / bound
