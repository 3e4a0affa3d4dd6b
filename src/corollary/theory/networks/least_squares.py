r"""Ordinary least squares, with patterns as rows or as columns.

.. math:: \tfrac12\|X^\top w-y\|^2,\qquad \nabla=XX^\top w-Xy,\qquad w^\star=(XX^\top)^{-1}Xy

for patterns in the columns of :math:`X\in\mathbb{R}^{d\times s}`. With patterns as rows exchange
:math:`X` and :math:`X^\top`. If :math:`XX^\top` is singular, the shortest minimiser is
:math:`(X^\top)^+y`.

:source: Perez Jensen (2025), Deep Learning, Section 2.1; Gauss (1809), Theoria motus.
:covers: least-squares-ols
:erratum: [wrong] Section 2.1 declares X as d x s, with the loss 1/2 ||X^T w - y||^2, and prints the
    gradient X^T X w - X^T y and w* = (X^T X)^{-1} X^T y, which belong to patterns as rows: for
    d = 2, s = 3 the shapes do not fit (X^T X is 3 x 3), and for d = s the vector is another one.
    It must be X X^T w - X y and (X X^T)^{-1} X y; the claim normal_equations shows both. The loss
    is called a mean but is half a sum.
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.singular import rank_cutoff
from corollary.theory.prerequisites.wellformed import check_finite

Layout = Literal["rows", "cols"]


class Ols(NamedTuple):
    """A minimiser of the squared error."""

    w: Float[Tensor, " d"]  # the shortest one
    rank: int  # of the patterns
    unique: bool  # whether there is no other
    loss: float  # half the sum of squared errors


def ols(X: Float[Tensor, "a b"], y: Float[Tensor, " s"], layout: Layout = "rows") -> Ols:
    r"""Minimise :math:`\frac12\sum_i(w\cdot x_i-y_i)^2` by the SVD, without normal equations.

    :math:`O(sd\min(s,d))` operations; the error grows with the condition number of the patterns,
    where that of :math:`(XX^\top)^{-1}` grows with its square.

    Example:
        >>> X = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)
        >>> found = ols(X, X @ X.new_tensor([2.0, -1.0]))
        >>> [round(v, 12) for v in found.w.tolist()], found.rank, found.unique
        ([2.0, -1.0], 2, True)
    """
    x = _patterns(X, y, layout)
    U, s, Vt = torch.linalg.svd(x, full_matrices=False)
    rank = int((s > rank_cutoff(x, s, None)).sum())
    w = Vt[:rank].T @ ((U[:, :rank].T @ y) / s[:rank])
    loss = 0.5 * float((x @ w - y).square().sum())
    return Ols(w, rank, rank == x.shape[1], loss)


def ols_gradient(
    X: Float[Tensor, "a b"], y: Float[Tensor, " s"], w: Float[Tensor, " d"], layout: Layout = "rows"
) -> Float[Tensor, " d"]:
    r"""The gradient :math:`\sum_i(w\cdot x_i-y_i)x_i` of half the sum of squared errors.

    Example:
        >>> ols_gradient(torch.eye(2), torch.tensor([1.0, 2.0]), torch.zeros(2))
        tensor([-1., -2.])
    """
    x = _patterns(X, y, layout)
    if len(w) != x.shape[1]:
        raise InputError(f"w must have {x.shape[1]} entries, got {len(w)}")
    return x.T @ (x @ w - y)


def _patterns(X: Tensor, y: Tensor, layout: str) -> Tensor:
    """The patterns as rows."""
    if layout not in ("rows", "cols"):
        raise InputError(f"expected layout to be 'rows' or 'cols', got {layout!r}")
    check_finite("X", X)
    check_finite("y", y)
    x = X if layout == "rows" else X.T
    if len(x) != len(y):
        raise InputError(
            f"X of shape {tuple(X.shape)} with patterns as {layout} has {len(x)} patterns, "
            f"but y has {len(y)} entries; check the layout"
        )
    return x
