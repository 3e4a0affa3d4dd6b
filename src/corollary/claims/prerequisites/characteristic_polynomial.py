r"""Eigenvalues and the characteristic polynomial.

The roots of :math:`z\mapsto\det(A-zI)` are the eigenvalues, and with each counted by its
(algebraic) multiplicity

.. math:: \det(A-zI)=\prod_{i=1}^n(\lambda_i-z).

The number of *distinct* eigenvalues is the number of distinct roots, not the multiplicity of one of
them: I has one distinct eigenvalue, of multiplicity n, and the product over distinct eigenvalues is
not its polynomial.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.4.1, (1.25).
:kind: identity
:cost: instant
:covers: eigenvalue-characterisation
:erratum: [wrong] Section 1.4.1 equates the number of distinct eigenvalues with the multiplicity of
    lambda as a root. I_2 has 1 distinct eigenvalue, of multiplicity 2.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Complex, Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.prerequisites.eigen import eigen_report


class Given(NamedTuple):
    """A matrix, the eigenvalues that are multiplied, and where the polynomial is looked at."""

    A: Float[Tensor, "n n"]
    roots: Complex[Tensor, " k"]
    z: Float[Tensor, " s"]


class CharacteristicPolynomial(Claim[Given]):
    n: int = option(5, low=1, high=12)  # size of A
    relation = equals(ulps=2**16, scale=1.0)  # n factors; eigenvalues of a well-scaled matrix

    def given(self, rng: Generator) -> Given:
        """A normal matrix with one eigenvalue doubled, and points around its spectrum."""
        block = torch.randn(self.n, self.n, generator=rng, dtype=torch.float64) / self.n**0.5
        A = torch.block_diag(block, torch.eye(2, dtype=torch.float64))
        return Given(A, torch.linalg.eigvals(A), torch.linspace(-0.8, 1.4, 34, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Each root as often as it is one."""
        report = eigen_report(given.A)
        often = all(
            int(((given.roots - e.value).abs() < 1e-5).sum()) == e.algebraic
            for e in report.distinct
        )
        detail = f"{len(given.roots)} factors for {len(report.distinct)} distinct eigenvalues"
        yield Hypothesis("each eigenvalue is counted with its multiplicity", often, detail)

    def predict(self, given: Given) -> list[float]:
        """The product."""
        return (given.roots[None] - given.z[:, None]).prod(dim=1).real.tolist()

    def measure(self, given: Given) -> list[float]:
        """Determinants."""
        eye = torch.eye(len(given.A), dtype=torch.float64)
        return torch.linalg.det(given.A - given.z[:, None, None] * eye).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The identity of the plane, its one distinct eigenvalue taken once."""
        eye = torch.eye(2, dtype=torch.float64)
        return Given(eye, torch.ones(1, dtype=torch.complex128), torch.linspace(-2, 2, 33).double())

    def figure(self, given: Given) -> Figure:
        """The polynomial and its real roots."""
        real = given.roots[given.roots.imag.abs() < 1e-9].real
        return Figure(
            "Eigenvalues are the roots of det(A − zI)",
            x="z",
            y="det(A − zI)",
            marks=(
                Curve(self.predict(given), given.z, "Π (λᵢ − z)", "predicted"),
                Points(given.z, self.measure(given), label="determinant"),
                Points(real, 0 * real, label="real eigenvalues (1 twice)", role="other"),
            ),
        )
