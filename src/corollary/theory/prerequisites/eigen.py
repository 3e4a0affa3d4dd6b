r"""Eigenvalues, their multiplicities, and the characteristic polynomial.

.. math:: Av=\lambda v,\ v\ne0\iff\det(A-\lambda I)=0

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.4.1, (1.25).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_at_least, check_square


class Eigenvalue(NamedTuple):
    """One distinct eigenvalue."""

    value: complex
    algebraic: int  # multiplicity as a root of det(A - z I)
    geometric: int  # dimension of its eigenspace


class EigenReport(NamedTuple):
    """The spectrum with its residuals."""

    distinct: tuple[Eigenvalue, ...]
    residual: float  # largest ||Av - lambda v|| over unit v
    determinant: float  # largest |det(A - lambda I)|


def eigen_report(A: Float[Tensor, "m n"], *, tol: float = 1e-6) -> EigenReport:
    r"""Distinct eigenvalues with both multiplicities; cost :math:`O(n^3)` a distinct value.

    Rounding splits a root of multiplicity m by about :math:`\varepsilon^{1/m}`, so values within
    ``tol`` of each other, relative to :math:`\|A\|_2`, count as one root.

    Example:
        >>> A = torch.tensor([[1.0, 1.0], [0.0, 1.0]], dtype=torch.float64)
        >>> eigen_report(A).distinct  # one root, of multiplicity 2, with one eigenvector
        (Eigenvalue(value=(1+0j), algebraic=2, geometric=1),)

    :covers: eigenvalue-characterisation
    :erratum: [wrong] Section 1.4.1 equates the number of distinct eigenvalues with the
        multiplicity of lambda as a root. I_2 has 1 distinct eigenvalue, of multiplicity 2; the
        number of distinct eigenvalues is the number of distinct roots.
    """
    check_square("A", A)
    check_at_least("tol", tol, 0)
    values, vectors = torch.linalg.eig(A)
    residual = (A.to(vectors) @ vectors - vectors * values).norm(dim=0).max()
    scale = max(float(torch.linalg.matrix_norm(A, ord=2)), 1e-300)
    groups = _groups([complex(v) for v in values], tol * scale)
    distinct = tuple(_eigenvalue(A, group, tol * scale) for group in groups)
    eye = torch.eye(len(A)).to(vectors)
    shifted = torch.stack([A.to(vectors) - v * eye for v in values])
    return EigenReport(distinct, float(residual), float(torch.linalg.det(shifted).abs().max()))


def ordered_eigenvalues(A: Float[Tensor, "m n"]) -> Float[Tensor, " n"]:
    r"""Real eigenvalues :math:`\lambda_1\ge\dots\ge\lambda_n`, refused when some are complex.

    Example:
        >>> ordered_eigenvalues(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
        tensor([ 1., -1.])
    """
    check_square("A", A)
    if torch.equal(A, A.T):
        ascending: Tensor = torch.linalg.eigvalsh(A)
        return ascending.flip(0)
    values: Tensor = torch.linalg.eigvals(A)
    size = max(float(torch.linalg.matrix_norm(A, ord=2)), 1e-300)
    worst = values[values.imag.abs().argmax()]
    if float(worst.imag.abs()) > torch.finfo(A.dtype).eps ** 0.5 * size:
        raise InputError(
            "eigenvalues can be ordered only if they are real, got the eigenvalue "
            f"{complex(worst):.3g}; symmetric matrices always have real eigenvalues"
        )
    return values.real.sort(descending=True).values


def _groups(values: list[complex], gap: float) -> list[list[complex]]:
    groups: list[list[complex]] = []
    for value in sorted(values, key=lambda z: (-z.real, -z.imag)):
        home = next((g for g in groups if min(abs(value - w) for w in g) <= gap), None)
        if home is None:
            groups.append([value])
        else:
            home.append(value)
    return groups


def _eigenvalue(A: Tensor, group: list[complex], gap: float) -> Eigenvalue:
    centre = sum(group) / len(group)
    wide = A.to(torch.complex128)
    s = torch.linalg.svdvals(wide - centre * torch.eye(len(A)).to(wide))
    return Eigenvalue(centre, len(group), max(int((s <= gap).sum()), 1))
