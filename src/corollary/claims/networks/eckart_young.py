r"""Eckart-Young theorem.

With :math:`\sigma_1\ge\sigma_2\ge\dots` the singular values of :math:`X`, no matrix of rank at most
:math:`r` is nearer to it than the truncated singular value decomposition :math:`X_r`:

.. math:: \|X-Y\|_F\ge\|X-X_r\|_F=\Bigl(\sum_{i>r}\sigma_i^2\Bigr)^{1/2}
   \quad\text{if } \operatorname{rank}Y\le r .

The minimiser is unique iff :math:`\sigma_r>\sigma_{r+1}` (or :math:`X` has rank at most
:math:`r`). The challengers are projections on random subspaces, the sweeps of an alternating
minimisation, which tends to the bound, and :math:`X_r` itself, which attains it.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.3, Theorem 12; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1, Theorem 2; Eckart and Young (1936), "The
    approximation of one matrix by another of lower rank".
:kind: theorem
:uses: singular_vectors
:covers: eckart-young, truncated-svd
"""

from math import sqrt
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.linalg import matrix_norm, qr

from corollary.core import Along, Claim, Suppose, at_least, normal, option
from corollary.theory.networks.low_rank import (
    best_low_rank,
    competitors,
    tail_energy,
    truncated_svd,
)


class Given(NamedTuple):
    X: Float[Tensor, "a b"]
    r: int  # rank allowed
    rank: int  # that the challengers really have


class EckartYoung(Claim[Given]):
    a: int = option(30, low=2, high=500)  # rows
    b: int = option(20, low=2, high=500)  # columns
    r: int = option(5, low=1, high=500)  # rank allowed, below the smaller side
    sweeps: int = 12  # sweeps of the alternating minimisation

    relation = at_least(ulps=256, scale=1.0)  # X_r attains the bound, with the rounding of ‖X‖ > 1
    supposes = Suppose(
        "every challenger has rank at most r",
        lambda g: (g.rank <= g.r, f"rank {g.rank}, r = {g.r}"),
        "If the challengers may have rank r + 1, some are nearer than X_r.",
        rank=lambda g: g.r + 1,
    )
    symbols = "(Σ_{i>r} σ_i²)^½", "‖X − Y‖_F"
    shows = Along(
        "No matrix of rank r is nearer than X_r",
        x="challenger",
        first=1,
        caption="From left to right: random subspaces, alternating minimisation, X_r.",
    )

    def given(self, rng: Generator) -> Given:
        k = min(self.a, self.b)
        U, V = (qr(normal(rng, side, k)).Q for side in (self.a, self.b))
        r = min(self.r, k - 1)
        return Given((U / torch.arange(1, k + 1)) @ V.T, r, r)

    def predict(self, given: Given) -> float:
        return sqrt(tail_energy(given.X, given.r))

    def measure(self, given: Given, rng: Generator) -> list[float]:
        X, _, rank = given
        tried = competitors(X, rank, sweeps=self.sweeps, rng=rng)
        truncated = float(matrix_norm(X - truncated_svd(X, rank).matrix()))
        best = best_low_rank(X, rank).error
        return [*tried.random.tolist(), *tried.optimised.tolist(), truncated, best]
