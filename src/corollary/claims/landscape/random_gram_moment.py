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
:uses: random_fourth_moment
:covers: random-gram-fourth-moment
:erratum: [loose] The proof derives the bound from Lemma 48, which treats one random factor
    independent of the rest, while each W occurs four times here. The bound is right; the mean is
    smaller, by the factor shown.
"""

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, mean_is, normal, option, within_interval
from corollary.theory.landscape.random_products import gram_fourth_moment


class RandomGramMoment(Claim[Tensor]):
    d: int = option(4, low=2, high=20)  # size of the matrices
    m: int = option(3, low=1, high=6)  # factors, at most
    draws: int = option(12_000, low=2000, high=200_000)  # independent products

    relation = within_interval(level=0.999999, resolution=0.2)  # chance: one seed in a million
    supposes = Suppose(
        "the entries are Gaussian: their kurtosis is 3",
        lambda W: mean_is(W**4, 3.0),
        "The entries are random signs, whose kurtosis is 1 instead of 3.",
        lambda g: g.sign(),
    )
    symbols = "exact mean / bound", "E‖MᵀM‖² / bound"
    shows = Along("The bound behind Theorem 52 and the exact mean", x="factors m", first=1)

    def given(self, rng: Generator) -> Tensor:
        return normal(rng, self.m, self.draws, self.d, self.d)

    def predict(self, given: Tensor) -> list[float]:
        return [gram_fourth_moment(self.d, 1.0, m) / self.bound(m) for m in range(1, self.m + 1)]

    def bound(self, m: int) -> float:
        """The bound in the proof of Theorem 52."""
        return gram_fourth_moment(self.d, 1.0, m, exact=False)

    def measure(self, given: Tensor) -> list[Sample]:
        M, out = torch.eye(self.d, dtype=torch.float64).expand_as(given[0]), []
        for m, W in enumerate(given, start=1):
            M = W @ M
            out.append(Sample((M.mT @ M).square().sum(dim=(1, 2)) / self.bound(m)))
        return out
