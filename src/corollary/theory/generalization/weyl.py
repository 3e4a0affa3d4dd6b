r"""Weyl's inequality: eigenvalues of a sum of Hermitian matrices.

With :math:`\lambda_1\ge\dots\ge\lambda_n`,

.. math:: \lambda_1(A+B)\le\lambda_1(A)+\lambda_1(B),\qquad
    \lambda_n(A+B)\ge\lambda_n(A)+\lambda_n(B),\qquad
    |\lambda_k(A+B)-\lambda_k(A)|\le\|B\|_2 .

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 67, (8.29)-(8.30); Weyl (1912), "Das
    asymptotische Verteilungsgesetz der Eigenwerte linearer partieller Differentialgleichungen".
"""

from typing import NamedTuple

import torch
from jaxtyping import Inexact, Shaped
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_square, rounding


class WeylSlack(NamedTuple):
    """How far each inequality is from equality; none is negative, but for rounding."""

    largest: float  # lambda_1(A) + lambda_1(B) - lambda_1(A + B)
    smallest: float  # lambda_n(A + B) - lambda_n(A) - lambda_n(B)
    shifts: Tensor  # ||B||_2 - |lambda_k(A + B) - lambda_k(A)|, largest eigenvalue first


def weyl_slack(A: Inexact[Tensor, "n n"], B: Inexact[Tensor, "n n"]) -> WeylSlack:
    r"""The slack of the three inequalities; cost :math:`O(n^3)`.

    Example:
        >>> A, B = torch.diag(torch.tensor([3.0, 1.0])), torch.diag(torch.tensor([2.0, 0.0]))
        >>> slack = weyl_slack(A, B)  # the same eigenvectors in the same order: equality
        >>> slack.largest, slack.smallest
        (0.0, 0.0)

    :covers: weyl-inequality
    :test: tests/theory/generalization/test_tangent_concentration.py
    """
    check_hermitian("A", A)
    check_hermitian("B", B)
    a, b, both = (torch.linalg.eigvalsh(M).flip(0) for M in (A, B, A + B))
    return WeylSlack(
        float(a[0] + b[0] - both[0]),
        float(both[-1] - a[-1] - b[-1]),
        b.abs().max() - (both - a).abs(),
    )


def check_hermitian(name: str, A: Shaped[Tensor, "m n"]) -> None:
    """Refuse a matrix that is not its own conjugate transpose up to rounding.

    Example:
        >>> check_hermitian("A", torch.tensor([[0.0, 1.0j], [-1.0j, 0.0]]))
    """
    check_square(name, A)
    off = float((A - A.mH).abs().max())
    if off > rounding(A) * max(float(A.abs().max()), 1e-300):
        raise InputError(
            f"{name} must be Hermitian, but {name} - {name}^H has an entry of size {off:.3g}; "
            f"take ({name} + {name}.mH) / 2 if that is what you mean"
        )
