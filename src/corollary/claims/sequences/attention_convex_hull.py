r"""The outputs of attention lie in the convex hull of the inputs.

What a position reads is a convex combination of the values: for
:math:`A=\operatorname{softmax}(XX^\top)`, row by row, and :math:`Y=AX`,

.. math:: \max_n\langle u,y_n\rangle\le\max_n\langle u,x_n\rangle\qquad\text{for every direction }u,

so no output leaves the convex hull of the inputs, however long the sequence. It takes weights that
are nonnegative and sum to 1: the product :math:`Y=QK^\top V` without softmax has neither.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.1, Equation 10.1; Perez Jensen
    (2025), Deep Learning, Section 6.1.
:kind: theorem
:covers: scaled-dot-product-attention
:erratum: [typo] Perez Jensen (2025) prints xi_i = sum_t softmax_t(omega_i) v_i, which is v_i; the
    summed vector is v_t. The shorthand Y = Q K^T x V of Lucchi (2025) leaves out softmax and
    scale; it is the counterexample here.
:scale-free: the weights are given, and any weights of an average will do.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from scipy.spatial import ConvexHull
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, at_most, below, near, normal, option
from corollary.core.picture import Marks, Regions, picture, scatter
from corollary.theory.sequences.attention import attention_weights


class Given(NamedTuple):
    X: Float[Tensor, "T d"]  # a sequence
    A: Float[Tensor, "T T"]  # weights with which its rows are read
    U: Float[Tensor, "m d"]  # directions to look along


class AttentionConvexHull(Claim[Given]):
    T: int = option(20, low=3, high=500)  # length of the sequence
    d: int = option(2, low=2, high=50)  # numbers per position
    m: int = option(64, high=1000)  # directions

    relation = at_most(ulps=16)  # sums of T weights and T products
    supposes = (
        Suppose(
            "no weight is negative",
            lambda g: below(-g.A, 0.0),
            "If an output is twice its input minus the average, it lies outside the convex hull.",
            A=lambda g: 2 * torch.eye(len(g.A), dtype=g.A.dtype) - g.A,
        ),
        Suppose(
            "the weights of each position sum to 1",
            lambda g: near(g.A.sum(dim=1), 1.0, to=1e-12),
            "If scores are used as weights, as in the notes, the output is not an average.",
            A=lambda g: g.X @ g.X.T,
        ),
    )
    symbols = "max ⟨u, x_n⟩", "max ⟨u, y_n⟩"

    def given(self, rng: Generator) -> Given:
        X, U = normal(rng, self.T, self.d), normal(rng, self.m, self.d)
        return Given(X, attention_weights(X, X, scale=1.0), U / U.norm(dim=1, keepdim=True))

    def predict(self, given: Given) -> Tensor:
        return (given.X @ given.U.T).amax(dim=0)

    def measure(self, given: Given) -> Kept:
        Y = given.A @ given.X
        return Kept((Y @ given.U.T).amax(dim=0), Y=Y)

    def tight(self, rng: Generator) -> Given:
        """Each position reads itself alone."""
        return self.given(rng)._replace(A=torch.eye(self.T, dtype=torch.float64))

    @picture("Outputs are averages", x="first coordinate", y="second coordinate", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        X, Y = trial.given.X[:, :2], trial.kept.Y[:, :2]
        hull = X[ConvexHull(X.numpy()).vertices.tolist()]
        yield Regions([hull], label="convex hull of the inputs", role="predicted")
        yield scatter(X, "inputs x", "other")
        yield scatter(Y, "outputs y = A x")
