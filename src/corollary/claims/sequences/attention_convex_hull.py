r"""Attention stays in the convex hull.

What a position reads is a convex combination of the values: for
:math:`A=\operatorname{softmax}(XX^\top)`, row by row, and :math:`Y=AX`,

.. math:: \max_n\langle u,y_n\rangle\le\max_n\langle u,x_n\rangle\qquad\text{for every direction }u,

so no output leaves the convex hull of the inputs, however long the sequence. It takes weights that
are nonnegative and sum to 1: the product :math:`Y=QK^\top V` without softmax has neither.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.1, Equation 10.1; Perez Jensen
    (2025), Deep Learning, Section 6.1.
:kind: theorem
:cost: instant
:covers: simple-self-attention, scaled-dot-product-attention
:erratum: [typo] Perez Jensen (2025) prints xi_i = sum_t softmax_t(omega_i) v_i, which is v_i; the
    summed vector is v_t. The shorthand Y = Q K^T x V of Lucchi (2025) leaves out softmax and
    scale; it is the counterexample here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from scipy.spatial import ConvexHull
from torch import Generator, Tensor

from corollary.core import Claim, Figure, Hypothesis, Points, Regions, at_most, option
from corollary.theory.sequences.attention import attention_weights


class Given(NamedTuple):
    """A sequence, the weights with which its rows are read, and directions to look along."""

    X: Float[Tensor, "T d"]
    A: Float[Tensor, "T T"]
    U: Float[Tensor, "m d"]


@dataclass(frozen=True)
class AttentionConvexHull(Claim[Given]):
    """The furthest output against the furthest input, in many directions."""

    T: int = option(20, low=3, high=500)  # length of the sequence
    d: int = option(2, low=2, high=50)  # numbers a position
    m: int = option(64, high=1000)  # directions
    relation = at_most(ulps=16)  # sums of T weights and T products

    def given(self, rng: Generator) -> Given:
        """A Gaussian sequence with its own attention."""
        X = torch.randn(self.T, self.d, generator=rng, dtype=torch.float64)
        U = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64)
        return Given(X, attention_weights(X, X, scale=1.0), U / U.norm(dim=1, keepdim=True))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Weights of an average."""
        least, off = float(given.A.min()), float((given.A.sum(dim=1) - 1).abs().max())
        yield Hypothesis("no weight is negative", least >= 0, f"least {least:.3g}")
        yield Hypothesis("the weights of each position sum to 1", off < 1e-12, f"off by {off:.3g}")

    def predict(self, given: Given) -> list[float]:
        """The furthest input along each direction."""
        return (given.X @ given.U.T).amax(dim=0).tolist()

    def measure(self, given: Given) -> list[float]:
        """The furthest output along each direction."""
        return (given.A @ given.X @ given.U.T).amax(dim=0).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Scores in place of weights: the shorthand of the notes."""
        given = self.given(rng)
        return given._replace(A=given.X @ given.X.T)

    def figure(self, given: Given) -> Figure:
        """Two coordinates of inputs and outputs, and the hull of the inputs."""
        X, Y = given.X[:, :2], (given.A @ given.X)[:, :2]
        hull = X[ConvexHull(X.numpy()).vertices.tolist()]
        marks = (
            Regions([hull.tolist()], label="convex hull of the inputs", role="predicted"),
            Points(X[:, 0], X[:, 1], label="inputs x", role="other"),
            Points(Y[:, 0], Y[:, 1], label="outputs y = A x"),
        )
        return Figure("Outputs are averages", x="first coordinate", y="second", marks=marks,
                      equal=True)  # fmt: skip
