r"""Expand, differentiate term by term, and collect.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.1.1, proof of (6.7).
"""

from torch import Tensor
from torch.func import grad

from corollary.claims.landscape.matrix_gradients import Given
from corollary.core import Proof, eq, let


def proof(given: Given) -> Proof:
    A, x, y = given.S, given.B[0], given.C[:, 0]

    def terms(A: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return y @ A @ x, x @ A.T @ y, x @ A.T @ A @ x

    yield let(r"\|y-Ax\|^2", (y - A @ x).square().sum())
    first, second, third = terms(A)
    tex = r"y^\top y - y^\top Ax - x^\top A^\top y + x^\top A^\top Ax"
    yield eq(tex, y @ y - first - second + third, "expanded")
    yield "The first term is constant; the others one by one:"
    parts = [grad(lambda A, k=k: terms(A)[k])(A) for k in range(3)]
    yield let(r"\nabla_A(y^\top Ax)", parts[0])
    yield eq(r"yx^\top", y.outer(x), "∂(Σ y_i a_ij x_j)/∂a_ij = y_i x_j")
    yield let(r"\nabla_A(x^\top A^\top Ax)", parts[2])
    yield eq(r"2Axx^\top", 2 * (A @ x).outer(x), "each entry occurs in two factors")
    yield let(r"\nabla_A\|y-Ax\|^2", grad(lambda A: (y - A @ x).square().sum())(A))
    added = -2 * y.outer(x) + 2 * (A @ x).outer(x)
    yield eq(r"-2yx^\top + 2Axx^\top", added, "the middle terms are equal")
    yield eq(r"-2(y-Ax)x^\top", -2 * (y - A @ x).outer(x), "factored")
    yield "In x the two factors of a quadratic form take turns."
    yield let(r"\nabla_x(x^\top Sx)", grad(lambda v: v @ A @ v)(x))
    yield eq(r"(S+S^\top)x", (A + A.T) @ x, "the product rule")
    yield eq("2Sx", 2 * A @ x, "S is symmetric")
