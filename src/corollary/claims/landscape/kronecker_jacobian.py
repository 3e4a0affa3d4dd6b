r"""Kronecker form of the derivative with respect to a matrix.

The derivative of :math:`Ax` in the entries of :math:`A\in\mathbb R^{p\times d}`, stacked column by
column, is

.. math:: \frac{\partial Ax}{\partial\operatorname{vec}A}=x^\top\otimes I_p,\qquad
   \operatorname{vec}(ABC)=(C^\top\otimes A)\operatorname{vec}B .

Stacked row by row it is :math:`I_p\otimes x^\top`, and :math:`(A\otimes C^\top)`. Both are
compared with automatic differentiation, along a random direction.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2, (6.28)-(6.31); Magnus and
    Neudecker (1999), Matrix Differential Calculus, Section 2.4.
:kind: identity
:covers: jacobian-matrix-argument
:erratum: [notation] (6.31) gives x^T kron I without saying that vec stacks columns; stacked by rows
    it is I kron x^T. In Section 6.2.2 "W^{L:k+1} z^T kron I" needs brackets.
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.autograd.functional import jacobian

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.theory.landscape.vectorisation import (
    Order,
    kron_jacobian,
    product_matrix,
    unvec,
    vec,
)


class Given(NamedTuple):
    A: Float[Tensor, "p d"]
    C: Float[Tensor, "d q"]
    x: Float[Tensor, " d"]
    v: Float[Tensor, " pd"]  # a direction among the entries of A
    w: Float[Tensor, " dd"]  # a direction among the entries of a square factor
    stacked: Order  # how vec stacks


def agrees(self: "KroneckerJacobian", given: Given) -> bool:
    """Whether every entry of A has the place in its stack that the formula gives it."""
    return torch.equal(vec(given.A, given.stacked), vec(given.A, self.order))


class KroneckerJacobian(Claim[Given]):
    p: int = option(3, low=2, high=40)  # rows of A
    d: int = option(4, low=2, high=40)  # columns of A
    order: Literal["columns", "rows"] = "columns"  # whether vec stacks rows or columns

    relation = equals(ulps=1e4, scale=1.0)  # sums of p d products of order one
    supposes = Suppose(
        "vec stacks in the order that the formula supposes",
        agrees,
        "If vec stacks rows instead of columns (or the reverse), the entries are permuted.",
        stacked=lambda g: "rows" if g.stacked == "columns" else "columns",
    )
    symbols = "Kronecker form", "automatic differentiation"
    shows = Along(
        "The derivatives of Ax and of vec(ABC) along a direction",
        x="entry",
        y="change of the entry",
        first=1,
    )

    def given(self, rng: Generator) -> Given:
        p, d = self.p, self.d
        shapes = ((p, d), (d, 2), (d,), (p * d,), (d * d,))
        A, C, x, v, w = (normal(rng, *s) for s in shapes)
        return Given(A, C, x, v, w, self.order)

    def predict(self, given: Given) -> Tensor:
        first = kron_jacobian(given.x, len(given.A), self.order) @ given.v
        return torch.cat([first, product_matrix(given.A, given.C, self.order) @ given.w])

    def measure(self, given: Given) -> Tensor:
        A, C, x, v, w, order = given
        first = jacobian(lambda a: unvec(a, len(A), order) @ x, v)
        second = jacobian(lambda b: vec(A @ unvec(b, len(C), order) @ C, order), w)
        return torch.cat([first @ v, second @ w])
