r"""Kronecker form of a derivative in a matrix.

The derivative of :math:`Ax` in the entries of :math:`A\in\mathbb R^{p\times d}`, stacked column by
column, is

.. math:: \frac{\partial Ax}{\partial\operatorname{vec}A}=x^\top\otimes I_p,\qquad
   \operatorname{vec}(ABC)=(C^\top\otimes A)\operatorname{vec}B .

Stacked row by row it is :math:`I_p\otimes x^\top`, and :math:`(A\otimes C^\top)`. Both are
compared with automatic differentiation, along a random direction.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2, (6.28)-(6.31); Magnus and
    Neudecker (1999), Matrix Differential Calculus, Section 2.4.
:kind: identity
:cost: instant
:covers: jacobian-matrix-argument
:erratum: [notation] (6.31) gives x^T kron I without saying that vec stacks columns; stacked by rows
    it is I kron x^T. In Section 6.2.2 "W^{L:k+1} z^T kron I" needs brackets.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.autograd.functional import jacobian

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.landscape.vectorisation import Order, kron_jacobian, product_matrix, unvec


class Given(NamedTuple):
    """Factors, a direction, and the orders of the stack and of the formula."""

    A: Float[Tensor, "p d"]
    C: Float[Tensor, "d q"]
    x: Float[Tensor, " d"]
    v: Float[Tensor, " pd"]  # a direction among the entries of A
    w: Float[Tensor, " dd"]  # a direction among the entries of a square factor
    stacked: Order
    formula: Order


class KroneckerJacobian(Claim[Given]):
    p: int = option(3, low=2, high=40)  # rows of A
    d: int = option(4, low=2, high=40)  # columns of A
    order: Literal["columns", "rows"] = "columns"  # how vec stacks
    relation = equals(ulps=1e4, scale=1.0)  # sums of p d products of order one

    def given(self, rng: Generator) -> Given:
        """Gaussian factors and directions."""
        p, d = self.p, self.d
        shapes = ((p, d), (d, 2), (d,), (p * d,), (d * d,))
        drawn = [torch.randn(s, generator=rng, dtype=torch.float64) for s in shapes]
        return Given(*drawn, self.order, self.order)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The order belongs to the formula."""
        yield Hypothesis(
            "vec stacks in the order that the formula supposes", given.stacked == given.formula
        )

    def predict(self, given: Given) -> list[float]:
        """The Kronecker products times the directions."""
        first = kron_jacobian(given.x, len(given.A), given.formula) @ given.v
        second = product_matrix(given.A, given.C, given.formula) @ given.w
        return [*first.tolist(), *second.tolist()]

    def measure(self, given: Given) -> list[float]:
        """The Jacobians of autograd, with the entries in the stacked order."""
        first, second = _jacobians(given)
        return [*(first @ given.v).tolist(), *(second @ given.w).tolist()]

    def counterexample(self, rng: Generator) -> Given:
        """Rows stacked, columns supposed: the notes' formula in the order their lines suggest."""
        return self.given(rng)._replace(stacked="rows", formula="columns")

    def figure(self, given: Given) -> Figure:
        """The derivative of Ax along v, in both orders."""
        i = list(range(1, len(given.A) + 1))
        other: Order = "rows" if given.formula == "columns" else "columns"
        wrong = kron_jacobian(given.x, len(given.A), other) @ given.v
        return Figure(
            "The derivative of Ax along a direction",
            x="entry i of Ax",
            y="change of (Ax)_i",
            marks=(
                Curve(self.predict(given)[: len(i)], x=i, label="Kronecker form", role="predicted"),
                Points(i, self.measure(given)[: len(i)], label="automatic differentiation"),
                Points(i, wrong, label="Kronecker form of the other order", role="other"),
            ),
        )


def _jacobians(given: Given) -> tuple[Tensor, Tensor]:
    """In vec A of Ax, and in vec B of vec(ABC); both stacked as the given says."""
    A, C, x, v, w, order, _ = given
    p, d = A.shape
    first = jacobian(lambda a: unvec(a, p, order) @ x, v)

    def product(b: Tensor) -> Tensor:
        P = A @ unvec(b, d, order) @ C
        return P.T.reshape(-1) if order == "columns" else P.reshape(-1)

    return first, jacobian(product, w)
