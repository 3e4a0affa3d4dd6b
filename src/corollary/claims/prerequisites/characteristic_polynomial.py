r"""Eigenvalues and the characteristic polynomial.

The roots of :math:`z\mapsto\det(A-zI)` are the eigenvalues, and with each counted by its
(algebraic) multiplicity

.. math:: \det(A-zI)=\prod_{i=1}^n(\lambda_i-z).

The number of *distinct* eigenvalues is the number of distinct roots, not the multiplicity of one of
them: I has one distinct eigenvalue, of multiplicity n, and the product over distinct eigenvalues is
not its polynomial.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.4.1, (1.25).
:kind: identity
:covers: eigenvalue-characterisation
:erratum: [wrong] Section 1.4.1 equates the number of distinct eigenvalues with the multiplicity of
    lambda as a root. I_2 has 1 distinct eigenvalue, of multiplicity 2.
"""

from typing import NamedTuple

import torch
from jaxtyping import Complex, Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.theory.prerequisites.eigen import eigen_report


class Given(NamedTuple):
    A: Float[Tensor, "n n"]
    roots: Complex[Tensor, " k"]  # the eigenvalues that are multiplied
    z: Float[Tensor, " s"]  # where the polynomial is looked at


def _eigenvalues(A: Tensor, *, once: bool = False) -> Tensor:
    found = eigen_report(A).distinct
    roots = [e.value for e in found for _ in range(1 if once else e.algebraic)]
    return torch.tensor(roots, dtype=torch.complex128)


def _with_multiplicity(given: Given) -> tuple[bool, str]:
    distinct = eigen_report(given.A).distinct
    counts = [int(((given.roots - e.value).abs() < 1e-5).sum()) for e in distinct]
    factors = f"{len(given.roots)} factors for {len(distinct)} distinct eigenvalues"
    return counts == [e.algebraic for e in distinct], factors


class CharacteristicPolynomial(Claim[Given]):
    n: int = option(5, low=1, high=12)  # size of A, to which a double eigenvalue 1 is added

    relation = equals(ulps=2**16, scale=1.0)  # n factors; eigenvalues of a well-scaled matrix
    supposes = Suppose(
        "each eigenvalue is counted with its multiplicity",
        _with_multiplicity,
        "Each distinct eigenvalue is counted once, so a factor is missing.",
        roots=lambda g: _eigenvalues(g.A, once=True),
    )
    symbols = "Π (λᵢ − z)", "det(A − zI)"
    shows = Along("Eigenvalues are the roots of det(A − zI)", x="z", at="z")

    def given(self, rng: Generator) -> Given:
        block, eye = normal(rng, self.n, self.n) / self.n**0.5, torch.eye(2, dtype=torch.float64)
        A = torch.block_diag(block, eye)
        return Given(A, _eigenvalues(A), torch.linspace(-0.8, 1.4, 34, dtype=torch.float64))

    def predict(self, given: Given) -> Tensor:
        return (given.roots[None] - given.z[:, None]).prod(dim=1).real

    def measure(self, given: Given) -> Tensor:
        eye = torch.eye(len(given.A), dtype=torch.float64)
        det: Tensor = torch.linalg.det(given.A - given.z[:, None, None] * eye)
        return det
