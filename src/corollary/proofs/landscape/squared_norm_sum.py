r"""Twice the product is at most the sum of the squares.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Proposition 47, with its second half,
    which is left to the reader.
"""

from torch.linalg import vector_norm

from corollary.claims.landscape.squared_norm_sum import Given
from corollary.core import Proof, eq, le, let


def proof(given: Given) -> Proof:
    x, y, p = given
    X, Y, cross = x.square().sum(), y.square().sum(1), y @ x
    yield let(r"\|x+y\|^2", vector_norm(x + y, p, dim=1).square())
    yield eq(r"\|x\|^2 + \|y\|^2 + 2x^\top y", X + Y + 2 * cross, "expanded")
    yield le(r"2\|x\|^2 + 2\|y\|^2", 2 * X + 2 * Y, "2ab ≤ a² + b² in each entry")
    A, B = x.outer(x), y[:, :, None] * x
    yield "A matrix is a long vector:"
    yield let(r"\|A+B\|_F^2", (A + B).square().sum((1, 2)))
    sides = 2 * A.square().sum() + 2 * B.square().sum((1, 2))
    yield le(r"2\|A\|_F^2 + 2\|B\|_F^2", sides, "the same in each entry")
