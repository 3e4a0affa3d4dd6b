r"""Regions of a hyperplane arrangement.

Let m hyperplanes lie in :math:`\mathbb R^n`. They cut it into at most

.. math:: R(m) = \sum_{i=0}^{\min(n, m)} \binom{m}{i}

regions, and in general position (any n normals independent, no n + 1 hyperplanes through a point)
into exactly as many. A layer of m rectifiers on n inputs therefore has at most :math:`R(m)`
activation patterns, which is :math:`2^m` only for :math:`m \le n`.

:source: Perez Jensen (2025), Deep Learning, Theorem 2.8; Zaslavsky (1975), "Facing up to
    arrangements: face-count formulas for partitions of space by hyperplanes".
:kind: theorem
:cost: instant
:covers: zaslavsky-region-count
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.expressivity.arrangements import count_regions, in_general_position
from corollary.theory.expressivity.bounds import zaslavsky


class Given(NamedTuple):
    """Hyperplanes by their normals and offsets."""

    W: Float[Tensor, "m n"]
    b: Float[Tensor, " m"]


@dataclass(frozen=True)
class Zaslavsky(Claim[Given]):
    """Regions counted by deletion and restriction against the sum of binomials."""

    m: int = option(8, low=2, high=14)  # hyperplanes
    n: int = option(3, low=1, high=4)  # dimension
    relation = equals()  # both are counts

    def given(self, rng: Generator) -> Given:
        """Gaussian normals and offsets: in general position with probability 1."""
        W = torch.randn(self.m, self.n, generator=rng, dtype=torch.float64)
        return Given(W, torch.randn(self.m, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """General position."""
        yield Hypothesis("the hyperplanes are in general position", in_general_position(*given))

    def predict(self, given: Given) -> float:
        """The sum of binomials."""
        return float(zaslavsky(*given.W.shape))

    def measure(self, given: Given) -> float:
        """Regions that are there."""
        return float(count_regions(*given))

    def counterexample(self, rng: Generator) -> Given:
        """A multiple of the first hyperplane twice: it divides nothing the second time."""
        W, b = self.given(rng)
        return Given(torch.cat([W[:-1], 2 * W[:1]]), torch.cat([b[:-1], 2 * b[:1]]))

    def figure(self, given: Given) -> Figure:
        """Regions as the hyperplanes come in: in general position, and all through one point."""
        W, b = given
        shown = range(1, len(W) + 1)
        return Figure(
            "Regions of an arrangement",
            x="m",
            y="regions",
            log_y=True,
            marks=(
                Curve([zaslavsky(k, W.shape[1]) for k in shown], shown, "R(m)", role="predicted"),
                Curve([2.0**k for k in shown], shown, "2ᵐ", role="other", dashed=True),
                Points(shown, [count_regions(W[:k], b[:k]) for k in shown], "general position"),
                Points(
                    shown, [count_regions(W[:k], 0 * b[:k]) for k in shown],
                    "all through one point", role="other",
                ),
            ),
        )  # fmt: skip
