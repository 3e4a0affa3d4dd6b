r"""Gradients with respect to a matrix.

The gradient of a number in a matrix collects the derivatives in its entries. For factors that fit,

.. math::
   \nabla_X\|X\|_F^2&=2X, & \nabla_X\operatorname{tr}(AX)&=A^\top, &
   \nabla_X\operatorname{tr}(AX^\top)&=A,\\
   \nabla_B\operatorname{tr}(ABC)&=A^\top C^\top, &
   \nabla_B\operatorname{tr}(CB^\top A^\top)&=A^\top C, &
   \nabla_B\operatorname{tr}(ABCB^\top A^\top)&=A^\top AB(C+C^\top),\\
   \nabla_xx^\top Mx&=(M+M^\top)x, & \nabla_xx^\top Sx&=2Sx\ (S=S^\top), &
   \nabla_Sx^\top Sx&=xx^\top,\\
   \nabla_xx^\top A^\top Ax&=2A^\top Ax, &
   \nabla_A\|y-Ax\|^2&=-2(y-Ax)x^\top, & \nabla_Xa^\top Xb&=ab^\top,\\
   \nabla_Xa^\top X^\top DXb&=D^\top Xab^\top+DXba^\top .

Checked entry by entry against automatic differentiation.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.1, (6.1)-(6.7), (6.11) and
    (6.21)-(6.23); Lucchi (2024), Foundations of Deep Learning (slides), Matrix Differentiation.
:kind: identity
:covers: gradient-frobenius-norm, gradient-trace-products, gradient-quadratic-forms,
    gradient-residual-matrix, gradient-bilinear-forms
:erratum: [typo] (6.2) declares A as n x m also for tr(A X^T) with X of shape m x n, where the
    product would not fit; A must have the shape of X. The proof of (6.7) cites (6.6), a gradient in
    x, for the derivative of x^T A^T A x in A, which is 2 A x x^T. The results are right.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, near, normal, option
from corollary.theory.landscape import matrix_calculus as mc

Rule = tuple[Callable[[Tensor], Tensor], Tensor, Tensor]  # function, point, gradient by formula


class Given(NamedTuple):
    A: Float[Tensor, "p m"]
    B: Float[Tensor, "m n"]
    C: Float[Tensor, "n p"]
    D: Float[Tensor, "m m"]
    S: Float[Tensor, "n n"]


def rules(given: Given) -> list[Rule]:
    """A function of one tensor, where it is taken, and its gradient by formula."""
    A, B, C, D, S = given
    x, a, b, y = B[0], B[:, 0], C[0], C[:, 0]  # of lengths n, m, p, n
    M = B.T @ D @ B  # n x n, not symmetric
    return [
        (lambda X: X.square().sum(), A, mc.frobenius_sq(A).gradient),
        (lambda X: (A @ X).trace(), A.T, mc.trace_ax(A, A.T).gradient),
        (lambda X: (A @ X.T).trace(), A, mc.trace_axt(A, A).gradient),
        (lambda X: (A @ X @ C).trace(), B, mc.trace_abc(A, B, C).gradient),
        (lambda X: (C.T @ X.T @ A.T).trace(), B, mc.trace_cbtat(A, B, C.T).gradient),
        (lambda X: (A @ X @ M @ X.T @ A.T).trace(), B, mc.trace_abcbtat(A, B, M).gradient),
        (lambda v: v @ M @ v, x, mc.quadratic_form(x, M).in_x),
        (lambda v: v @ S @ v, x, 2 * S @ x),
        (lambda Z: x @ Z @ x, S, mc.quadratic_form(x, S).in_A),
        (lambda v: (B @ v).square().sum(), x, mc.gram_form(x, B).in_x),
        (lambda Z: (y - Z @ x).square().sum(), S, mc.residual_sq(S, x, y).gradient),
        (lambda X: a @ X @ x, B, mc.bilinear(a, B, x).gradient),
        (lambda X: b @ X.T @ D @ X @ C[-1], A.T, mc.bilinear_sandwich(b, A.T, D, C[-1]).gradient),
    ]


class MatrixGradients(Claim[Given]):
    p: int = option(2, low=1, high=50)  # rows of A
    m: int = option(3, low=1, high=50)  # columns of A, rows of B
    n: int = option(4, low=2, high=50)  # columns of B

    relation = equals(ulps=1e4, scale=1.0)  # sums of some p m n products of order one
    supposes = Suppose(
        "S is symmetric",
        lambda g: near(g.S, g.S.T, 0.0),
        "If S is not symmetric, 2Sx is not the gradient.",
        S=lambda g: g.S.triu(),
    )
    symbols = "entry by formula", "entry by automatic differentiation"
    shows = Parity("Entries of thirteen gradients")

    def given(self, rng: Generator) -> Given:
        p, m, n = self.p, self.m, self.n
        A, B, C, D, S = (normal(rng, *s) for s in ((p, m), (m, n), (n, p), (m, m), (n, n)))
        return Given(A, B, C, D, (S + S.T) / 2)

    def predict(self, given: Given) -> Tensor:
        return torch.cat([gradient.flatten() for _, _, gradient in rules(given)])

    def measure(self, given: Given) -> Tensor:
        return torch.cat([torch.func.grad(f)(at).flatten() for f, at, _ in rules(given)])
