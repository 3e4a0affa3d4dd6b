r"""Optimal second factor of a two-layer linear network.

For fixed :math:`A` the loss :math:`\frac12\|Y-ABX\|_F^2` is convex in :math:`B`, with Hessian
:math:`S_{xx}\otimes A^\top A`, and :math:`B` is a minimiser iff

.. math:: A^\top ABS_{xx}=A^\top S_{yx},\qquad S_{xx}=XX^\top,\ S_{yx}=YX^\top .

The shortest solution is :math:`A^+YX^+`. Its loss is compared with that of rivals around it, and
with a least-squares solution of the vectorised problem, which must be as good and no better.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.1.2, Theorem 42, (6.15)-(6.20).
:kind: theorem
:uses: two_layer_linear_gradients
:covers: two-layer-linear-optimal-b
:scale-free: One loss is compared at several places.
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_least, normal, option
from corollary.theory.landscape.two_layer_linear import optimal_B, two_layer_loss


class Given(NamedTuple):
    A: Tensor  # fixed factor
    X: Tensor  # data as columns
    Y: Tensor
    B: Tensor  # the factor in question


def off(given: Given) -> float:
    """By how much the normal equations are not met, relative to their right side."""
    A, X, Y, B = given
    return float((A.T @ (A @ B @ X - Y) @ X.T).norm() / (A.T @ Y @ X.T).norm())


class OptimalSecondFactor(Claim[Given]):
    d: int = option(4, low=1, high=20)  # input dimension
    m: int = option(3, low=1, high=20)  # hidden units
    k: int = option(5, low=1, high=20)  # output dimension
    n: int = option(12, low=1, high=1000)  # points
    rivals: int = option(20, low=2, high=1000)  # directions

    relation = at_least(ulps=1e5)  # the least-squares rival has the same loss, up to rounding
    supposes = Suppose(
        "AᵀAB S_xx = Aᵀ S_yx",
        lambda g: 1e-9 - off(g),
        "A solution for other targets is not a minimiser.",
        B=lambda g: -g.B,
    )
    symbols = "L(A, B)", "L of a rival"
    shows = Along(
        "Losses of other factors near B",
        x="rival",
        first=1,
        caption="The last rival is a least-squares solution.",
    )

    def given(self, rng: Generator) -> Given:
        d, m, k, n = self.d, self.m, self.k, self.n
        A, X, Y = (normal(rng, *shape) for shape in ((k, m), (d, n), (k, n)))
        return Given(A, X, Y, optimal_B(A, X, Y))

    def predict(self, given: Given) -> list[float]:
        A, X, Y, B = given
        return [float(two_layer_loss(A, B, X, Y))] * (self.rivals + 1)

    def measure(self, given: Given, rng: Generator) -> list[float]:
        A, X, Y, B = given
        system = torch.kron(X.T.contiguous(), A)  # vec(ABX), columns stacked
        b = torch.linalg.lstsq(system, Y.T.reshape(-1, 1), driver="gelsd").solution
        solved = b.reshape(X.shape[0], A.shape[1]).T.contiguous()
        rivals = [*(B + 0.1 * normal(rng, self.rivals, *B.shape)), solved]
        return [float(two_layer_loss(A, rival, X, Y)) for rival in rivals]
