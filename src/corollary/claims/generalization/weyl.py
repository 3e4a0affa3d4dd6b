r"""Weyl's inequality.

For Hermitian :math:`A,B` with eigenvalues :math:`\lambda_1\ge\dots\ge\lambda_n`

.. math:: \lambda_1(A+B)\le\lambda_1(A)+\lambda_1(B),\qquad
    \lambda_n(A+B)\ge\lambda_n(A)+\lambda_n(B),\qquad
    |\lambda_k(A+B)-\lambda_k(A)|\le\|B\|_2 .

A small perturbation moves no eigenvalue far. Equality when A and B share their eigenvectors in the
same order.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 67, (8.29)-(8.30); Weyl (1912), "Das
    asymptotische Verteilungsgesetz der Eigenwerte linearer partieller Differentialgleichungen".
:kind: theorem
:uses: rayleigh_quotient
:covers: weyl-inequality
"""

from typing import NamedTuple

import torch
from jaxtyping import Complex
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, at_most, normal, option
from corollary.core.picture import Band, Curve, Marks, picture


class Given(NamedTuple):
    A: Complex[Tensor, "n n"]  # a matrix
    B: Complex[Tensor, "n n"]  # what is added to it


def is_hermitian(M: Tensor) -> bool:
    """Whether M is its own adjoint."""
    return bool(torch.equal(M, M.mH))


def eigenvalues(M: Tensor) -> Tensor:
    """Real parts, largest first; all there is for Hermitian matrices."""
    found: Tensor = torch.linalg.eigvalsh(M) if is_hermitian(M) else torch.linalg.eigvals(M).real
    return found.sort(descending=True).values


JORDAN = torch.tensor([[0.0, 1.0], [0.0, 0.0]], dtype=torch.complex128)
FLIP = 0.01 * (JORDAN + JORDAN.mH)


class Weyl(Claim[Given]):
    n: int = option(6, low=2, high=500)  # size of the matrices
    size: float = option(0.5, low=1e-3, high=10.0)  # spectral norm of B (that of A is about 2)

    relation = at_most(ulps=2**10)  # eigenvalues of a dozen rows
    supposes = (
        Suppose(
            "A is Hermitian",
            lambda g: is_hermitian(g.A),
            "A is a Jordan block, and a change of size 0.01 moves its eigenvalue 0 by 0.1.",
            A=JORDAN,
            B=FLIP,
        ),
        Suppose(
            "B is Hermitian",
            lambda g: is_hermitian(g.B),
            "B is a Jordan block of eigenvalue 0, and the sum has an eigenvalue 0.1.",
            A=FLIP,
            B=JORDAN,
        ),
    )
    symbols = "of A and B", "of A + B"
    rows = "λ₁", "−λₙ", "largest shift, at most ‖B‖₂"

    def given(self, rng: Generator) -> Given:
        M = torch.complex(normal(rng, 2, self.n, self.n), normal(rng, 2, self.n, self.n))
        A, B = (M + M.mH) / (2 * self.n**0.5)
        return Given(A, B * (self.size / torch.linalg.matrix_norm(B, ord=2)))

    def predict(self, given: Given) -> list[float]:
        a, b = eigenvalues(given.A), eigenvalues(given.B)
        norm = torch.linalg.matrix_norm(given.B, ord=2)
        return [float(a[0] + b[0]), -float(a[-1] + b[-1]), float(norm)]

    def measure(self, given: Given) -> list[float]:
        a, both = eigenvalues(given.A), eigenvalues(given.A + given.B)
        return [float(both[0]), -float(both[-1]), float((both - a).abs().max())]

    def tight(self) -> Given:
        """Diagonal matrices: they share their eigenvectors."""
        A, B = torch.tensor([[3.0, -1.0], [2.0, -2.0]], dtype=torch.complex128)
        return Given(A.diag(), B.diag())

    @picture("Each eigenvalue stays within Weyl's bounds", x="t", y="λ_k(A + tB)")
    def marks(self, trial: Trial[Given]) -> Marks:
        A, B = trial.given
        t = torch.linspace(0, 1, 41, dtype=torch.float64)
        paths = torch.stack([eigenvalues(A + s * B) for s in t])
        wide = t * trial.predicted[2]
        for k in sorted({0, len(A) // 2, len(A) - 1}):
            start, label = paths[0, k], f"λ_{k + 1}(A) ± t‖B‖"
            yield Band(t, start - wide, start + wide, label=label, role="predicted")
            yield Curve(paths[:, k], t, label=f"λ_{k + 1}(A + tB)")
