r"""Linear recurrences and their diagonal form.

.. math:: z_t=Az_{t-1}+Bx_t,\quad z_0=0,\qquad A=P\Lambda P^{-1}\ \Rightarrow\
   \zeta_t=\Lambda\zeta_{t-1}+Cx_t,\quad\zeta_t=P^{-1}z_t,\ C=P^{-1}B .

In the basis of eigenvectors the recurrence is m recurrences of one complex number. It stays
bounded without input iff :math:`\max|\lambda|\le1` and eigenvalues on the circle are semi-simple;
if :math:`|\lambda|<1` and the input is bounded,

.. math:: |\zeta_t|\le\frac{\max_s|(Cx_s)|}{1-|\lambda|}.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Orvieto, Smith, Gu, Fernando, Gulcehre,
    Pascanu and De (2023), "Resurrecting recurrent neural networks for long sequences".
"""

from typing import NamedTuple

import torch
from jaxtyping import Complex, Float, Inexact
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.eigen import eigen_report
from corollary.theory.prerequisites.wellformed import check_square
from corollary.theory.sequences.scan import linear_scan


class DiagonalSystem(NamedTuple):
    """The recurrence in the basis of eigenvectors."""

    eigenvalues: Complex[Tensor, " m"]
    P: Complex[Tensor, "m m"]  # eigenvectors, column by column
    C: Complex[Tensor, "m n"]  # P^-1 B


def dense_states(
    A: Inexact[Tensor, "m m"], B: Inexact[Tensor, "m n"], x: Inexact[Tensor, "T n"]
) -> Inexact[Tensor, "T m"]:
    """The states z_1, ..., z_T, one matrix product a step: O(T m^2).

    Example:
        >>> A = torch.tensor([[0.0, 1.0], [0.0, 0.0]])
        >>> dense_states(A, torch.eye(2), torch.tensor([[0.0, 1.0], [0.0, 0.0]])).tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """
    check_square("A", A)
    z, states = A.new_zeros(len(A)), []
    for v in (x.to(B.dtype) @ B.T).unbind():
        z = A @ z + v
        states.append(z)
    return torch.stack(states)


def diagonalised(
    A: Float[Tensor, "m m"], B: Float[Tensor, "m n"], *, check: bool = True
) -> DiagonalSystem:
    r"""The diagonal form of a real system.

    Args:
        A: Transition.
        B: Weights of the input.
        check: Refuse a defective matrix, one without m independent eigenvectors. Without the
            check it gets the best that a pseudo-inverse of P can do, which is wrong.

    Example:
        A quarter turn has eigenvalues i and -i.

        >>> A = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
        >>> sorted(round(v, 12) for v in diagonalised(A, A).eigenvalues.imag.tolist())
        [-1.0, 1.0]
    """
    check_square("A", A)
    eigenvalues, P = torch.linalg.eig(A)
    if check and not is_diagonalisable(A):
        raise InputError(
            f"A must be diagonalisable, but its {len(A)} eigenvectors are linearly dependent; "
            "a tiny random change of A makes it diagonalisable"
        )
    C = torch.linalg.pinv(P, rtol=1e-8) @ B.to(P.dtype)
    return DiagonalSystem(eigenvalues, P, C)


def diagonal_states(system: DiagonalSystem, x: Float[Tensor, "T n"]) -> Complex[Tensor, "T m"]:
    r"""The states :math:`\zeta_1,\dots,\zeta_T`, by a scan: O(T m)."""
    drive = x.to(system.C.dtype) @ system.C.T
    return linear_scan(system.eigenvalues.expand_as(drive), drive)


def is_diagonalisable(A: Float[Tensor, "m m"], *, tol: float = 1e-6) -> bool:
    """Whether A has m independent eigenvectors; roots closer than ``tol`` count as one.

    Example:
        >>> is_diagonalisable(torch.tensor([[1.0, 1.0], [0.0, 1.0]], dtype=torch.float64))
        False
    """
    return all(v.geometric == v.algebraic for v in eigen_report(A, tol=tol).distinct)


def is_stable(A: Float[Tensor, "m m"], *, tol: float = 1e-6) -> bool:
    r"""Whether :math:`A^t` stays bounded: moduli at most 1, those of 1 semi-simple.

    Example:
        >>> is_stable(torch.eye(2)), is_stable(torch.tensor([[1.0, 1.0], [0.0, 1.0]]))
        (True, False)
    """
    return all(
        abs(v.value) < 1 - tol or (abs(v.value) <= 1 + tol and v.geometric == v.algebraic)
        for v in eigen_report(A, tol=tol).distinct
    )
