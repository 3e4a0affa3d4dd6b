r"""Second moment of a random factor.

If the entries of :math:`W` are independent with mean 0 and variance :math:`\sigma^2`, and
:math:`A, B` are independent of :math:`W` and of each other,

.. math:: \mathbb E\|AWB\|_F^2=\sigma^2\,\mathbb E\|A\|_F^2\,\mathbb E\|B\|_F^2 ,

whatever the law of the entries. Measured for four laws, in units of :math:`\mathbb E\|A\|_F^2\,
\mathbb E\|B\|_F^2`, with factors whose lengths are random.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2, Lemma 48.
:kind: identity
:cost: instant
:covers: random-matrix-second-moment
:erratum: [missing hypothesis] Lemma 48 asks only that A, B and W be uncorrelated. Factors with a
    common random length are uncorrelated if their entries are centred, but the mean is then
    E z^4 = 1.64 times as large for z^2 = 0.2 or 1.8: the counterexample.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, Hypothesis, Level, Points, Sample, option, within_interval
from corollary.theory.landscape.random_products import KURTOSIS, entries

LEVEL = 0.999999  # one in a million seeds may fail by chance


class Given(NamedTuple):
    """Draws of the outer factors; the seed of the middle one."""

    A: Float[Tensor, "draws a d"]
    B: Float[Tensor, "draws e b"]
    s2: float
    seed: int


class RandomSecondMoment(Claim[Given]):
    d: int = option(6, low=2, high=50)  # columns of A, rows of W
    e: int = option(4, low=2, high=50)  # columns of W, rows of B
    s2: float = option(1.0, low=0.1, high=1.0)  # variance of the entries of W
    draws: int = option(2500, low=1000, high=100_000)  # independent triples
    relation = within_interval(level=LEVEL, resolution=0.25)  # Student interval of the draws

    def given(self, rng: Generator) -> Given:
        """Gaussian factors, each with a random length of its own."""
        scale = _scales(self.draws, 2, rng)
        A = torch.randn(self.draws, 6, self.d, generator=rng, dtype=torch.float64) * scale[0]
        B = torch.randn(self.draws, self.e, 6, generator=rng, dtype=torch.float64) * scale[1]
        return Given(A, B, self.s2, int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Independence, as far as the lengths can tell."""
        a, b = (t.square().sum(dim=(1, 2)) for t in (given.A, given.B))
        r = float(torch.corrcoef(torch.stack([a, b]))[0, 1])
        yield Hypothesis(
            "A and B are independent", abs(r) * len(a) ** 0.5 < 5, f"correlation of lengths {r:.3f}"
        )

    def predict(self, given: Given) -> list[float]:
        """The variance, for every law."""
        return [given.s2] * len(KURTOSIS)

    def measure(self, given: Given) -> list[Sample]:
        """Squared norms in units of the mean squared lengths of the factors."""
        A, B, s2, seed = given
        rng = torch.Generator().manual_seed(seed)
        unit = A[0].numel() * B[0].numel()  # E z² = 1, so these are the mean squared lengths
        shape = (len(A), A.shape[2], B.shape[1])
        drawn = (A @ entries(law, shape, s2, rng=rng) @ B for law in KURTOSIS)
        return [Sample(M.square().sum(dim=(1, 2)) / unit) for M in drawn]

    def counterexample(self, rng: Generator) -> Given:
        """A common random length: uncorrelated entries, dependent factors."""
        given = self.given(rng)
        z = _scales(self.draws, 1, rng)[0]
        A = torch.randn(given.A.shape, generator=rng, dtype=torch.float64) * z
        B = torch.randn(given.B.shape, generator=rng, dtype=torch.float64) * z
        return given._replace(A=A, B=B)

    def figure(self, given: Given) -> Figure:
        """The mean for each law."""
        reads = [sample.read(0.99) for sample in self.measure(given)]
        at = [float(k) for k in KURTOSIS.values()]
        return Figure(
            "The law of the entries does not matter",
            x="kurtosis of the entries of W",
            y="E‖AWB‖² / (E‖A‖² E‖B‖²)",
            marks=(
                Level(given.s2, label="σ²"),
                Points(
                    at,
                    [r.value for r in reads],
                    low=[r.low for r in reads],
                    high=[r.high for r in reads],
                    label="mean of the draws, 99 %",
                ),
            ),
            caption="Signs (1), uniform (1.8), Gaussian (3) and Laplace (6) entries.",
        )


def _scales(draws: int, factors: int, rng: Generator) -> Tensor:
    """Lengths z with z² = 0.2 or 1.8, so E z² = 1 and E z⁴ = 1.64."""
    heads = torch.rand(factors, draws, 1, 1, generator=rng, dtype=torch.float64) < 0.5
    return (1.8 - 1.6 * heads.double()).sqrt()
