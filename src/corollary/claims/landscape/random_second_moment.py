r"""Second moment of a random factor.

If the entries of :math:`W` are independent with mean 0 and variance :math:`\sigma^2`, and
:math:`A, B` are independent of :math:`W` and of each other,

.. math:: \mathbb E\|AWB\|_F^2=\sigma^2\,\mathbb E\|A\|_F^2\,\mathbb E\|B\|_F^2 ,

whatever the law of the entries. Measured for four laws, in units of :math:`\mathbb E\|A\|_F^2\,
\mathbb E\|B\|_F^2`, with factors whose lengths are random.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2, Lemma 48.
:kind: identity
:covers: random-matrix-second-moment
:erratum: [missing hypothesis] Lemma 48 asks only that A, B and W be uncorrelated. Factors with a
    common random length are uncorrelated if their entries are centred, but the mean is then
    E z^4 = 1.64 times as large for z^2 = 0.2 or 1.8: the counterexample.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, normal, option, uniform, within_interval
from corollary.core.witness import near
from corollary.theory.landscape.random_products import KURTOSIS, entries, second_moment

LAWS = sorted(KURTOSIS, key=KURTOSIS.__getitem__)


class Given(NamedTuple):
    A: Float[Tensor, "draws a d"]
    B: Float[Tensor, "draws e b"]


def correlation(given: Given) -> Tensor:
    """Of the lengths of A and B."""
    return torch.corrcoef(torch.stack([t.square().sum(dim=(1, 2)) for t in given]))[0, 1]


class RandomSecondMoment(Claim[Given]):
    d: int = option(6, low=2, high=50)  # columns of A, rows of W
    e: int = option(4, low=2, high=50)  # columns of W, rows of B
    s2: float = option(1.0, low=0.1, high=1.0)  # variance of the entries of W
    draws: int = option(2500, low=1000, high=100_000)  # independent triples

    relation = within_interval(level=0.999999, resolution=0.25)  # chance: one seed in a million
    supposes = Suppose(
        "A and B are independent",
        lambda g: near(correlation(g), 0.0, 5 / len(g.A) ** 0.5),  # five standard errors
        "A and B share a random scale, so they are uncorrelated but dependent.",
        lambda self, rng: self.factors(rng, lengths=1),
    )
    symbols = "σ²", "E‖AWB‖² / (E‖A‖² E‖B‖²)"
    rows = tuple(LAWS)
    kurtosis = [KURTOSIS[law] for law in LAWS]
    shows = Along(
        "The second moment does not depend on the distribution",
        x="kurtosis of W's entries",
        at="kurtosis",
    )

    def given(self, rng: Generator) -> Given:
        return self.factors(rng, lengths=2)

    def factors(self, rng: Generator, lengths: int) -> Given:
        """Gaussian factors of random length z: z² is 0.2 or 1.8, E z² = 1 and E z⁴ = 1.64."""
        z = (1.8 - 1.6 * (uniform(rng, lengths, self.draws, 1, 1) < 0.5)).sqrt()
        A, B = normal(rng, self.draws, 6, self.d), normal(rng, self.draws, self.e, 6)
        return Given(A * z[0], B * z[-1])

    def predict(self, given: Given) -> list[float]:
        one = torch.ones(1, 1)  # the unit has the lengths of the factors
        return [second_moment(one, one, self.s2)] * len(LAWS)

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        A, B = given
        unit, shape = A[0].numel() * B[0].numel(), (self.draws, self.d, self.e)
        drawn = (A @ entries(law, shape, self.s2, rng=rng) @ B for law in LAWS)
        return [Sample(M.square().sum(dim=(1, 2)) / unit) for M in drawn]
