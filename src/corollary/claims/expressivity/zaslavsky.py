r"""Regions of a hyperplane arrangement.

Let m hyperplanes lie in :math:`\mathbb R^n`. They cut it into at most

.. math:: R(m) = \sum_{i=0}^{\min(n, m)} \binom{m}{i}

regions, and in general position (any n normals independent, no n + 1 hyperplanes through a point)
into exactly as many. A layer of m rectifiers on n inputs therefore has at most :math:`R(m)`
activation patterns, which is :math:`2^m` only for :math:`m \le n`.

:source: Perez Jensen (2025), Deep Learning, Theorem 2.8; Zaslavsky (1975), "Facing up to
    arrangements: face-count formulas for partitions of space by hyperplanes".
:kind: theorem
:covers: zaslavsky-region-count
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.linalg import svdvals

from corollary.core import Claim, Suppose, Sweep, equals, normal, option
from corollary.theory.expressivity.arrangements import count_regions
from corollary.theory.expressivity.bounds import zaslavsky


class Given(NamedTuple):
    W: Float[Tensor, "m n"]  # normals
    b: Float[Tensor, " m"]  # offsets


def independence(rows: Float[Tensor, "m k"]) -> Tensor:
    """The smallest singular value of k of the rows, or of all if there are fewer."""
    m, k = rows.shape
    chosen = rows[torch.combinations(torch.arange(m), min(m, k))]
    values: Tensor = svdvals(chosen)
    return values.min() - 1e-9


def common_point(given: Given) -> Tensor | float:
    """How far n + 1 of the hyperplanes are from passing through a point."""
    m, n = given.W.shape
    return independence(torch.cat([given.W, given.b[:, None]], 1)) if m > n else 1.0


class Zaslavsky(Claim[Given]):
    m: int = option(8, low=2, high=14)  # hyperplanes
    n: int = option(3, low=1, high=4)  # dimension

    relation = equals()  # both are counts
    supposes = (
        Suppose(
            "any n normals are independent",
            lambda g: independence(g.W),
            "One hyperplane is repeated, and the copy divides no region.",
            W=lambda g: torch.cat([g.W[:-1], 2 * g.W[:1]]),
            b=lambda g: torch.cat([g.b[:-1], 2 * g.b[:1]]),
        ),
        Suppose(
            "no n + 1 hyperplanes pass through a point",
            common_point,
            "If all hyperplanes pass through one point, there are fewer regions.",
            b=lambda g: 0 * g.b,
        ),
    )
    symbols = "R(m)", "regions"
    shows = Sweep("Regions of an arrangement", "m", range(2, 9), log="y")

    def given(self, rng: Generator) -> Given:
        W = normal(rng, self.m, self.n)
        return Given(W, normal(rng, self.m))

    def predict(self, given: Given) -> int:
        return zaslavsky(*given.W.shape)

    def measure(self, given: Given) -> int:
        return count_regions(*given)
