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
:cost: instant
:covers: weyl-inequality
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Complex
from torch import Generator, Tensor

from corollary.core import Band, Claim, Curve, Figure, Hypothesis, at_most, option


class Given(NamedTuple):
    """Two matrices."""

    A: Complex[Tensor, "n n"]
    B: Complex[Tensor, "n n"]


@dataclass(frozen=True)
class Weyl(Claim[Given]):
    """Eigenvalues of a sum against those of its terms."""

    n: int = option(6, low=2, high=500)  # size of the matrices
    size: float = option(0.5, low=1e-3, high=10.0)  # spectral norm of B, when that of A is about 2
    relation = at_most(ulps=2**10)  # eigenvalues of a dozen rows

    def given(self, rng: Generator) -> Given:
        """Complex Hermitian matrices with normal entries."""
        A, B = (_hermitian(self.n, rng) for _ in range(2))
        return Given(A, B * (self.size / torch.linalg.matrix_norm(B, ord=2)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Both Hermitian."""
        yield Hypothesis("A is Hermitian", _is_hermitian(given.A))
        yield Hypothesis("B is Hermitian", _is_hermitian(given.B))

    def predict(self, given: Given) -> list[float]:
        """Sums of largest and of (negated) smallest eigenvalues, and the norm of B for each k."""
        a, b = _eigenvalues(given.A), _eigenvalues(given.B)
        return [float(a[0] + b[0]), -float(a[-1] + b[-1]), *[float(b.abs().max())] * len(a)]

    def measure(self, given: Given) -> list[float]:
        """The same of the sum, and how far each eigenvalue moved."""
        a, both = _eigenvalues(given.A), _eigenvalues(given.A + given.B)
        return [float(both[0]), -float(both[-1]), *(both - a).abs().tolist()]

    def counterexample(self, rng: Generator) -> Given:
        """Two nilpotent matrices: eigenvalues 0 each, the sum has -1 and 1."""
        A = torch.tensor([[0.0, 1.0], [0.0, 0.0]], dtype=torch.complex128, device=rng.device)
        return Given(A, A.T.clone())

    def figure(self, given: Given) -> Figure:
        """Eigenvalues of A + tB as t grows, inside tubes of half width t‖B‖."""
        t = torch.linspace(0, 1, 41, dtype=torch.float64)
        paths = torch.stack([_eigenvalues(given.A + s * given.B) for s in t])
        norm = float(_eigenvalues(given.B).abs().max())
        marks: list[Curve | Band] = []
        for k in sorted({0, len(given.A) // 2, len(given.A) - 1}):
            start = paths[0, k]
            tube = (start - t * norm).tolist(), (start + t * norm).tolist()
            label = f"λ_{k + 1}(A) ± t‖B‖"
            marks.append(Band(t.tolist(), *tube, label=label, role="predicted"))
            marks.append(Curve(paths[:, k].tolist(), x=t.tolist(), label=f"λ_{k + 1}(A + tB)"))
        return Figure("No eigenvalue leaves its tube", x="t", y="λ_k(A + tB)", marks=tuple(marks))


def _hermitian(n: int, rng: Generator) -> Tensor:
    real, imaginary = torch.randn(2, n, n, generator=rng, device=rng.device, dtype=torch.float64)
    M = torch.complex(real, imaginary)
    return (M + M.mH) / (2 * n**0.5)


def _is_hermitian(M: Tensor) -> bool:
    return bool(torch.equal(M, M.mH))


def _eigenvalues(M: Tensor) -> Tensor:
    """Real parts, largest first; all of them for Hermitian matrices."""
    found = torch.linalg.eigvalsh(M) if _is_hermitian(M) else torch.linalg.eigvals(M).real
    return found.sort(descending=True).values
