r"""Matrices as vectors, and the derivative of a matrix-vector product in the matrix.

.. math:: \operatorname{vec}(ABC)=(C^\top\otimes A)\operatorname{vec}B,\qquad
    \frac{\partial Ax}{\partial\operatorname{vec}A}=x^\top\otimes I_p

with columns stacked; with rows stacked, :math:`\operatorname{vec}(ABC)=(A\otimes
C^\top)\operatorname{vec}B` and :math:`I_p\otimes x^\top`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2, (6.28)-(6.31); Magnus and
    Neudecker (1999), Matrix Differential Calculus, Section 2.4.
:covers: jacobian-matrix-argument
:erratum: [notation] (6.31) gives x^T kron I without saying that vec stacks columns; stacked by
    rows, as (6.29)-(6.30) suggest, it is I kron x^T. In Section 6.2.2 "W^{L:k+1} z^T kron I" needs
    brackets: W^{L:k+1} (z^T kron I) = z^T kron W^{L:k+1}.
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError

Order = Literal["columns", "rows"]


def vec(A: Float[Tensor, "p d"], order: Order = "columns") -> Float[Tensor, " pd"]:
    """The entries of ``A`` as one vector, column after column or row after row.

    Example:
        >>> A = torch.tensor([[1, 2], [3, 4]], dtype=torch.float64)
        >>> vec(A).tolist(), vec(A, "rows").tolist()
        ([1.0, 3.0, 2.0, 4.0], [1.0, 2.0, 3.0, 4.0])
    """
    return A.T.reshape(-1) if order == "columns" else A.reshape(-1)


def unvec(v: Float[Tensor, " pd"], p: int, order: Order = "columns") -> Float[Tensor, "p d"]:
    """The matrix with ``p`` rows whose :func:`vec` is ``v``.

    Example:
        >>> unvec(torch.arange(4.0), 2).tolist()
        [[0.0, 2.0], [1.0, 3.0]]
    """
    if p < 1 or len(v) % p:
        raise InputError(f"{len(v)} entries do not fill a matrix with {p} rows")
    return v.reshape(-1, p).T if order == "columns" else v.reshape(p, -1)


def product_matrix(
    A: Float[Tensor, "p m"], C: Float[Tensor, "n q"], order: Order = "columns"
) -> Float[Tensor, "pq mn"]:
    r"""The matrix that takes :math:`\operatorname{vec}B` to :math:`\operatorname{vec}(ABC)`.

    Example:
        >>> product_matrix(2 * torch.eye(1), torch.tensor([[3.0, 4.0]])).tolist()
        [[6.0], [8.0]]
    """
    Ct = C.T.contiguous()  # kron asks for it
    return torch.kron(Ct, A.contiguous()) if order == "columns" else torch.kron(A.contiguous(), Ct)


def kron_jacobian(
    x: Float[Tensor, " d"], p: int, order: Order = "columns"
) -> Float[Tensor, "p pd"]:
    r"""The Jacobian of :math:`A\mapsto Ax` in :math:`\operatorname{vec}A`, for A with ``p`` rows.

    Entry by entry, :math:`\partial(Ax)_i/\partial A_{kq}=x_q` if k = i, else 0.

    Example:
        >>> kron_jacobian(torch.tensor([5.0, 7.0]), 2).tolist()
        [[5.0, 0.0, 7.0, 0.0], [0.0, 5.0, 0.0, 7.0]]
    """
    if p < 1:
        raise InputError(f"A needs at least one row, got p = {p}")
    row, identity = x[None], torch.eye(p).to(x)
    return torch.kron(row, identity) if order == "columns" else torch.kron(identity, row)
