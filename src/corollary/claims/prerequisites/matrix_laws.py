r"""Laws of matrix multiplication: associative and distributive, not commutative.

For square matrices

.. math:: A(B+C)=AB+AC,\qquad(AB)C=A(BC),\qquad AA^{-1}=A^{-1}A=I,

where A is invertible. The order of the factors matters: :math:`AB=BA` for symmetric A and B only if
they have their eigenvectors in common.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.1.2.
:kind: identity
:covers: matrix-algebra-laws
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, normal, option
from corollary.theory.prerequisites.matrix_algebra import commutator, inverse


class Given(NamedTuple):
    A: Float[Tensor, "n n"]
    B: Float[Tensor, "n n"]
    C: Float[Tensor, "n n"]
    u: Float[Tensor, " n"]  # unit vectors; a matrix M is looked at through uᵀMv
    v: Float[Tensor, " n"]

    def through(self, *matrices: Tensor) -> list[float]:
        """The number uᵀMv of each."""
        return [float(self.u @ M @ self.v) for M in matrices]


def off_diagonal(given: Given) -> float:
    """What is left of B off the diagonal in the basis of A, below rounding."""
    Q = torch.linalg.eigh(given.A).eigenvectors
    D = Q.T @ given.B @ Q
    return 1e-9 - float((D - D.diagonal().diag()).norm())


def in_another_basis(given: Given, rng: Generator) -> Given:
    """B has other eigenvectors than A, so AB and BA are different."""
    Q = torch.linalg.qr(normal(rng, *given.B.shape)).Q
    return given._replace(B=Q @ given.B @ Q.T)


class MatrixLaws(Claim[Given]):
    n: int = option(6, low=2, high=200)  # size of the matrices

    relation = equals(ulps=2**12, scale=1.0)  # products of matrices of norm at most 2
    supposes = (
        Suppose("A is invertible", lambda g: torch.linalg.svdvals(g.A)[-1] - 1e-9),
        Suppose("A and B have the same eigenvectors", off_diagonal, without=in_another_basis),
    )
    symbols = "one side", "the other side"
    rows = "A(B + C)", "(AB)C", "A⁻¹A", "AA⁻¹", "AB − BA"
    shows = Parity("Both sides of each law, multiplied by two vectors")

    def given(self, rng: Generator) -> Given:
        Q = torch.linalg.qr(normal(rng, self.n, self.n)).Q
        A, B = (Q * torch.linspace(low, 2, self.n).double() @ Q.T for low in (1.0, -1.0))
        u, v = torch.nn.functional.normalize(normal(rng, 2, self.n))
        return Given(A, B, normal(rng, self.n, self.n) / self.n**0.5, u, v)

    def predict(self, given: Given) -> list[float]:
        A, B, C, u, _ = given
        one = torch.eye(len(u), dtype=A.dtype)
        return given.through(A @ B + A @ C, A @ (B @ C), one, one, 0 * one)

    def measure(self, given: Given) -> list[float]:
        A, B, C = given[:3]
        back = inverse(A)
        return given.through(A @ (B + C), A @ B @ C, back @ A, A @ back, commutator(A, B))
