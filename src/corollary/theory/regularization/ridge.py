r"""Ridge regression as shrinkage along singular vectors.

For :math:`\min_w\|Xw-y\|^2+\lambda\|w\|^2` and :math:`X=UDV^\top`

.. math:: X\hat w=\sum_iu_i\,\frac{d_i^2}{d_i^2+\lambda}\,u_i^\top y .

Least squares has the factor 1 everywhere; the ridge shrinks most where X is thin. The sum of the
factors is the number of degrees of freedom that are left.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.3, Problem 1, (11.28)-(11.29);
    Hoerl and Kennard (1970), "Ridge regression: biased estimation for nonorthogonal problems".
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.singular import rank_cutoff
from corollary.theory.prerequisites.wellformed import check_finite


def shrinkage_factors(X: Float[Tensor, "n d"], lam: float) -> Float[Tensor, " k"]:
    r"""The factors :math:`d_i^2/(d_i^2+\lambda)`, that of the largest singular value first.

    Example:
        >>> shrinkage_factors(torch.diag(torch.tensor([3.0, 1.0])), lam=1.0).tolist()
        [0.8999999761581421, 0.5]
    """
    check_finite("X", X)
    _check_penalty(lam)
    d2 = torch.linalg.svdvals(X).square()
    return torch.where(d2 > 0, d2 / (d2 + lam), torch.zeros_like(d2))


def degrees_of_freedom(X: Float[Tensor, "n d"], lam: float) -> float:
    r"""The trace :math:`\sum_id_i^2/(d_i^2+\lambda)` of the matrix that takes y to its prediction.

    Example:
        >>> degrees_of_freedom(torch.eye(4), lam=1.0)
        2.0
    """
    return float(shrinkage_factors(X, lam).sum())


def ridge(X: Float[Tensor, "n d"], y: Float[Tensor, "m *k"], lam: float) -> Float[Tensor, "d *k"]:
    r"""The minimiser of :math:`\|Xw-y\|^2+\lambda\|w\|^2`, by the SVD: :math:`O(nd\min(n,d))`.

    With :math:`\lambda=0` it is least squares, which needs full column rank here; for the shortest
    of many minimisers take :func:`corollary.theory.networks.least_squares.ols`. A weight vector for
    each column of a matrix ``y``.

    Example:
        >>> ridge(torch.eye(2), torch.tensor([2.0, 4.0]), lam=1.0).tolist()
        [1.0, 2.0]

    :covers: ridge-regression-shrinkage
    :test: tests/theory/regularization/test_ridge.py
    :erratum: [typo] (11.28) has the penalty (lambda/2)||w||^2, for which the denominator of (11.29)
        is d_i^2 + lambda/2; the printed d_i^2 + lambda belongs to lambda ||w||^2. For X = y = 1 and
        lambda = 1 the minimiser of (11.28) is 2/3 and (11.29) says 1/2.
    """
    check_finite("X", X)
    check_finite("y", y)
    _check_penalty(lam)
    if len(X) != len(y):
        raise InputError(f"X and y must have the same number of rows, got {len(X)} and {len(y)}")
    U, d, Vt = torch.linalg.svd(X, full_matrices=False)
    rank = int((d > rank_cutoff(X, d, None)).sum())
    if lam == 0 and rank < X.shape[1]:
        raise InputError(
            f"lam must be positive, since X has rank {rank} of {X.shape[1]} columns and least "
            "squares has many solutions; ols(X, y) returns the shortest"
        )
    factors = (d / (d.square() + lam)).reshape(-1, *(1,) * (y.ndim - 1))
    w: Tensor = Vt.T @ (factors * (U.T @ y))
    return w


def ridge_prediction(
    X: Float[Tensor, "n d"], y: Float[Tensor, " n"], lam: float
) -> Float[Tensor, " n"]:
    r"""The shrunken targets :math:`\sum_iu_i\frac{d_i^2}{d_i^2+\lambda}u_i^\top y`, without w.

    Example:
        >>> ridge_prediction(torch.eye(2), torch.tensor([2.0, 4.0]), lam=1.0).tolist()
        [1.0, 2.0]
    """
    U: Tensor = torch.linalg.svd(X, full_matrices=False).U
    return U @ (shrinkage_factors(X, lam) * (U.T @ y))


def _check_penalty(lam: float) -> None:
    if not 0 <= lam < math.inf:
        raise InputError(f"lam must not be negative, got {lam:g}")
