r"""Variance of dot products.

If q and k are independent, with independent entries of mean 0 and variance 1, then

.. math:: \operatorname{Var}(q\cdot k)=d,\qquad \operatorname{Var}\Bigl(\frac{q\cdot k}{\sqrt d}
   \Bigr)=1,

whatever the law of the entries. So scores grow like :math:`\sqrt d` unless they are divided by it.
If queries and keys are related the statement fails: for :math:`q=k` the mean alone is d.

:source: Perez Jensen (2025), Deep Learning, Section 6.1; Lucchi (2025), Foundations of Deep
    Learning, Section 10.4.1; Vaswani, Shazeer, Parmar et al. (2017), "Attention is all you need".
:kind: identity
:cost: instant
:covers: attention-variance-scaling
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, option, within_interval

Law = Literal["normal", "sign", "uniform"]


class Given(NamedTuple):
    """Queries and keys in several dimensions, one pair a row."""

    q: tuple[Float[Tensor, "r d"], ...]
    k: tuple[Float[Tensor, "r d"], ...]


@dataclass(frozen=True)
class DotProductVariance(Claim[Given]):
    """Squares of scaled products, which have mean 1 in every dimension."""

    dims: tuple[int, ...] = (4, 16, 64, 256)  # dimensions of queries and keys
    draws: int = option(4000, low=100, high=100_000)  # pairs in each dimension
    law: Law = "normal"  # of the entries
    relation = within_interval(resolution=0.15)  # 4000 squares have a mean known to about 0.09

    def given(self, rng: Generator) -> Given:
        """Independent entries of mean 0 and variance 1."""
        draw = [_entries(self.law, self.draws, d, rng) for d in self.dims for _ in "qk"]
        return Given(tuple(draw[::2]), tuple(draw[1::2]))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Mean, variance, and no relation of q to k, as far as draws can tell."""
        q = torch.cat([part.flatten() for part in given.q])
        k = torch.cat([part.flatten() for part in given.k])
        bound = 5 / len(q) ** 0.5  # five standard errors of entries of variance 1
        mean = max(abs(float(q.mean())), abs(float(k.mean())))
        spread = max(abs(float(q.square().mean()) - 1), abs(float(k.square().mean()) - 1))
        joint = abs(float((q * k).mean()))
        yield Hypothesis("entries have mean 0", mean < bound, f"means up to {mean:.2g}")
        yield Hypothesis("entries have variance 1", spread < 2 * bound, f"off by {spread:.2g}")
        yield Hypothesis("q and k are not correlated", joint < bound, f"mean product {joint:.2g}")

    def predict(self, given: Given) -> list[float]:
        """Variance 1 after scaling."""
        return [1.0] * len(given.q)

    def measure(self, given: Given) -> list[Sample]:
        """Squares of the scaled products."""
        return [Sample((s.square() / q.shape[1]).tolist()) for q, s in _products(given)]

    def counterexample(self, rng: Generator) -> Given:
        """Every query is its own key."""
        given = self.given(rng)
        return given._replace(k=given.q)

    def figure(self, given: Given) -> Figure:
        """Variance of the products with and without the scale, against d."""
        d = [q.shape[1] for q, _ in _products(given)]
        squares = [s.square() for _, s in _products(given)]
        mean = [float(s.mean()) for s in squares]
        half = [3 * float(s.std()) / len(s) ** 0.5 for s in squares]
        low, high = zip(*((m - h, m + h) for m, h in zip(mean, half, strict=True)), strict=True)
        marks = (
            Curve(d, d, label="d", role="predicted"),
            Points(d, mean, label="variance of q·k", low=list(low), high=list(high)),
            Curve([1.0] * len(d), d, label="1", role="predicted", dashed=True),
            Points(
                d, [m / n for m, n in zip(mean, d, strict=True)], label="variance of q·k/√d",
                low=[v / n for v, n in zip(low, d, strict=True)],
                high=[v / n for v, n in zip(high, d, strict=True)],
            ),
        )  # fmt: skip
        return Figure(
            "Scores spread like √d unless they are divided by it", x="dimension d", y="variance",
            marks=marks, log_x=True, log_y=True,
        )  # fmt: skip


def _products(given: Given) -> list[tuple[Tensor, Tensor]]:
    return [(q, (q * k).sum(dim=1)) for q, k in zip(given.q, given.k, strict=True)]


def _entries(law: Law, n: int, d: int, rng: Generator) -> Tensor:
    if law == "normal":
        return torch.randn(n, d, generator=rng, dtype=torch.float64)
    uniform = 2 * torch.rand(n, d, generator=rng, dtype=torch.float64) - 1
    return uniform.sign() if law == "sign" else uniform * 3**0.5
