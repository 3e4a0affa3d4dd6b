r"""Singular value decomposition.

Every :math:`A\in\mathbb{R}^{m\times n}` is :math:`UDV^\top` with orthogonal U and V and
:math:`\sigma_1\ge\sigma_2\ge\dots\ge0` on the diagonal of D; A turns the unit disc, scales its axes
by the :math:`\sigma_i`, and turns it again. With :math:`r=\operatorname{rank}A`, the first r
columns of U are an orthonormal basis of the column space:

.. math:: U_rU_r^\top=AA^+,\qquad A=\sum_{i\le r}\sigma_iu_iv_i^\top.

The other columns of U are orthogonal to it.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.4.2, Theorem 6, (1.27).
:kind: theorem
:uses: rayleigh_quotient, orthogonal_inverse
:covers: svd-theorem
:erratum: [loose] The columns of U are said to form a basis of the column space (and those of V of
    the row space); only the first rank(A) do. For A = diag(1, 0) the second column of U is
    orthogonal to the column space.
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Suppose, Trial, equals, normal, option
from corollary.theory.prerequisites.singular import numerical_rank, rank_one_terms, svd_full


class Given(NamedTuple):
    A: Float[Tensor, "m n"]
    k: int  # how many of its left singular vectors are taken


class SingularVectors(Claim[Given]):
    m: int = option(5, low=1, high=100)  # rows
    n: int = option(4, low=1, high=100)  # columns
    r: int = option(2, low=1, high=100)  # rank, at most m and n

    relation = equals(ulps=2**10, scale=1.0)  # projectors of a well-conditioned matrix
    supposes = Suppose(
        "as many vectors are taken as A has rank",
        lambda g: (g.k == numerical_rank(g.A), f"{g.k} vectors, rank {numerical_rank(g.A)}"),
        "All columns of U together, as printed in the notes, span more than the column space.",
        k=lambda g: len(g.A),
    )
    symbols = "entry of AA⁺, then of A", "entry of UᵣUᵣᵀ, then of Σ σᵢuᵢvᵢᵀ"

    def given(self, rng: Generator) -> Given:
        r = min(self.r, self.m, self.n)
        return Given(normal(rng, self.m, r) @ normal(rng, r, self.n), r)

    def predict(self, given: Given) -> Tensor:
        projector = given.A @ torch.linalg.pinv(given.A)
        return torch.cat([projector.flatten(), given.A.flatten()])

    def measure(self, given: Given) -> Tensor:
        U = svd_full(given.A).U[:, : given.k]
        return torch.cat([(U @ U.T).flatten(), rank_one_terms(given.A).sum(dim=0).flatten()])

    def figure(self, trial: Trial[Given]) -> tuple[Figure, ...]:
        A = torch.tensor([[1.0, 0.8], [0.2, 1.2]], dtype=torch.float64)
        U, D, V, _, _ = svd_full(A)
        t = torch.linspace(0, 2 * math.pi, 121, dtype=torch.float64)
        stages = {
            "The unit disc and v₁, v₂": torch.eye(2, dtype=torch.float64),
            "Turned by Vᵀ": V.T,
            "Scaled by D": D @ V.T,
            "Turned by U: the image under A": U @ D @ V.T,
        }

        def disc(name: str, M: Tensor) -> Figure:
            x, y = M @ torch.stack([t.cos(), t.sin()])
            (x1, x2), (y1, y2) = M @ V
            marks = (
                Curve(y, x, label="image of the circle"),
                Curve([0, y1], [0, x1], label="image of v₁", role="predicted"),
                Curve([0, y2], [0, x2], label="image of v₂", role="other"),
            )
            return Figure(name, "first coordinate", "second coordinate", marks=marks, equal=True)

        return tuple(disc(name, M) for name, M in stages.items())
