r"""Singular value decomposition.

Every :math:`A\in\mathbb{R}^{m\times n}` is :math:`UDV^\top` with orthogonal U and V and
:math:`\sigma_1\ge\sigma_2\ge\dots\ge0` on the diagonal of D; A turns the unit disc, scales its axes
by the :math:`\sigma_i`, and turns it again. With :math:`r=\operatorname{rank}A`, the first r
columns of U are an orthonormal basis of the column space:

.. math:: U_rU_r^\top=AA^+,\qquad A=\sum_{i\le r}\sigma_iu_iv_i^\top.

The other columns of U are orthogonal to it.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.4.2, Theorem 6, (1.27).
:kind: theorem
:cost: instant
:covers: svd-theorem
:erratum: [loose] The columns of U are said to form a basis of the column space (and those of V of
    the row space); only the first rank(A) do. For A = diag(1, 0) the second column of U is
    orthogonal to the column space.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, equals, option
from corollary.theory.prerequisites.singular import numerical_rank, rank_one_terms, svd_full


class Given(NamedTuple):
    """A matrix, and how many of its left singular vectors are taken."""

    A: Float[Tensor, "m n"]
    k: int
    disc: Float[Tensor, "2 2"]  # a second matrix, for the picture of the disc


class SingularVectors(Claim[Given]):
    m: int = option(5, low=1, high=100)  # rows
    n: int = option(4, low=1, high=100)  # columns
    r: int = option(2, low=1, high=100)  # rank, at most m and n
    relation = equals(ulps=2**10, scale=1.0)  # projectors of a well-conditioned matrix

    def given(self, rng: Generator) -> Given:
        """A product of two normal factors of width r."""
        r = min(self.r, self.m, self.n)
        left = torch.randn(self.m, r, generator=rng, dtype=torch.float64)
        right = torch.randn(r, self.n, generator=rng, dtype=torch.float64)
        turn = torch.tensor([[1.0, 0.8], [0.2, 1.2]], dtype=torch.float64)
        return Given(left @ right, r, turn)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Neither fewer nor more."""
        r = numerical_rank(given.A)
        detail = f"{given.k} vectors, rank {r}"
        yield Hypothesis("as many vectors are taken as A has rank", given.k == r, detail)

    def predict(self, given: Given) -> list[float]:
        """The projector onto the column space by the pseudo-inverse; then A itself."""
        projector = given.A @ torch.linalg.pinv(given.A)
        return torch.cat([projector.flatten(), given.A.flatten()]).tolist()

    def measure(self, given: Given) -> list[float]:
        """The projector onto the first k columns of U; then the sum of rank-one terms."""
        U = svd_full(given.A).U[:, : given.k]
        total = rank_one_terms(given.A).sum(dim=0)
        return torch.cat([(U @ U.T).flatten(), total.flatten()]).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """All columns of U for a matrix of rank 1, as the notes would have it."""
        A = torch.diag(torch.tensor([1.0, 0.0], dtype=torch.float64))
        return Given(A, 2, A)

    def figure(self, given: Given) -> tuple[Figure, ...]:
        """The disc after each of the three factors."""
        U, D, V, _, _ = svd_full(given.disc)
        stages = (
            ("The unit disc and v₁, v₂", torch.eye(2, dtype=torch.float64)),
            ("Turned by Vᵀ", V.T),
            ("Scaled by D", D @ V.T),
            ("Turned by U: the image under A", U @ D @ V.T),
        )
        return tuple(_disc(name, M, V) for name, M in stages)


def _disc(name: str, M: Tensor, V: Tensor) -> Figure:
    t = torch.linspace(0, 2 * math.pi, 121, dtype=torch.float64)
    circle = M @ torch.stack([t.cos(), t.sin()])
    axes = M @ V
    zero = [0.0]
    arrows = tuple(
        Curve(zero + [float(axes[1, i])], zero + [float(axes[0, i])], f"image of v{'₁₂'[i]}", role)
        for i, role in enumerate(("predicted", "other"))
    )
    boundary = Curve(circle[1], circle[0], label="image of the circle")
    return Figure(
        name, x="first coordinate", y="second coordinate", equal=True, marks=(boundary, *arrows)
    )
