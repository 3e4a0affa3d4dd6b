r"""The landscape of linear networks with one hidden layer, in closed form.

Data are columns, :math:`X\in\mathbb R^{d\times n}`, :math:`Y\in\mathbb R^{k\times n}`, and

.. math:: L(A,B)=\tfrac12\|Y-ABX\|_F^2,\qquad S_{xx}=XX^\top,\quad S_{yx}=YX^\top,\quad
    \Sigma=S_{yx}S_{xx}^{-1}S_{yx}^\top .

:source: Lucchi (2025), Foundations of Deep Learning, Sections 6.1.1 and 6.1.2, Theorems 42-45;
    Lucchi (2024), Foundations of Deep Learning (slides), Neural Network Gradients; Baldi and Hornik
    (1989), "Neural networks and principal component analysis: learning from examples without local
    minima".
"""

from itertools import combinations
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.hessians import hessian
from corollary.theory.prerequisites.singular import numerical_rank
from corollary.theory.prerequisites.wellformed import check_finite


class Gradients(NamedTuple):
    """Of the loss, in each factor."""

    in_A: Float[Tensor, "k p"]
    in_B: Float[Tensor, "p d"]


class CriticalPair(NamedTuple):
    """A critical point of full rank, up to the choice of coordinates in the hidden layer."""

    indices: tuple[int, ...]  # eigenvectors of Sigma it takes, 0 being the largest eigenvalue
    A: Float[Tensor, "k p"]
    B: Float[Tensor, "p d"]
    loss: float  # by the formula, (tr S_yy - sum of the eigenvalues taken) / 2
    curvatures: Float[Tensor, " q"]  # eigenvalues of the Hessian in (A, B), ascending


def two_layer_loss(
    A: Float[Tensor, "k p"],
    B: Float[Tensor, "p d"],
    X: Float[Tensor, "d n"],
    Y: Float[Tensor, "k n"],
) -> Float[Tensor, ""]:
    r"""Half the sum of squared errors, :math:`\frac12\|Y-ABX\|_F^2`.

    Example:
        >>> one = torch.ones(1, 1)
        >>> two_layer_loss(one, 2 * one, one, 5 * one).item()
        4.5
    """
    return 0.5 * (Y - A @ (B @ X)).square().sum()


def two_layer_gradients(
    A: Float[Tensor, "k p"],
    B: Float[Tensor, "p d"],
    S_yx: Float[Tensor, "k d"],
    S_xx: Float[Tensor, "d d"],
) -> Gradients:
    r"""From the correlations alone, at a cost that the number of points does not enter.

    .. math:: \nabla_BL=-A^\top(S_{yx}-ABS_{xx}),\qquad \nabla_AL=-(S_{yx}-ABS_{xx})B^\top

    Example:
        >>> one = torch.ones(1, 1)
        >>> two_layer_gradients(2 * one, 3 * one, 5 * one, one)  # L = (5 - ab)²/2
        Gradients(in_A=tensor([[3.]]), in_B=tensor([[2.]]))

    :covers: two-layer-linear-gradients
    :erratum: [typo] In intermediate lines of (6.12) and of the slide Derivation (II/III), the
        derivative of x^T B^T A^T y in B is given as x y^T A, which is d x m; it is A^T y x^T,
        m x d; the quadratic term has A A^T B x x^T where 2 A^T A B x x^T is meant. y = ABx has one
        hidden layer, not two. The results (6.13) and (6.14) are right.
    """
    error = S_yx - A @ (B @ S_xx)
    return Gradients(-error @ B.T, -A.T @ error)


def optimal_B(
    A: Float[Tensor, "k p"], X: Float[Tensor, "d n"], Y: Float[Tensor, "k n"]
) -> Float[Tensor, "p d"]:
    r"""The shortest minimiser in B: a solution of :math:`A^\top ABS_{xx}=A^\top S_{yx}`.

    :math:`B=A^+YX^+`; all minimisers solve the same equations, as the loss is convex in B.

    Example:
        >>> one = torch.ones(1, 1)
        >>> optimal_B(2 * one, one, 6 * one).item()
        3.0

    :covers: two-layer-linear-optimal-b
    """
    _check(X, Y)
    B: Tensor = torch.linalg.pinv(A) @ Y @ torch.linalg.pinv(X)
    return B


def optimal_A(
    B: Float[Tensor, "p d"], X: Float[Tensor, "d n"], Y: Float[Tensor, "k n"]
) -> Float[Tensor, "k p"]:
    r"""The shortest minimiser in A: a solution of :math:`ABS_{xx}B^\top=S_{yx}B^\top`.

    Example:
        >>> one = torch.ones(1, 1)
        >>> optimal_A(2 * one, one, 6 * one).item()
        3.0

    :covers: two-layer-linear-optimal-a
    """
    _check(X, Y)
    A: Tensor = Y @ torch.linalg.pinv(B @ X)
    return A


def critical_map(
    A: Float[Tensor, "k p"], X: Float[Tensor, "d n"], Y: Float[Tensor, "k n"]
) -> Float[Tensor, "k d"]:
    r"""The product AB at any critical point with this A: :math:`P_AS_{yx}S_{xx}^{-1}`.

    :math:`P_A` projects on the columns of A, of whatever rank.

    Example:
        >>> X, A = torch.eye(2), torch.tensor([[1.0], [0.0]])
        >>> critical_map(A, X, torch.ones(2, 2)).tolist()
        [[1.0, 1.0], [0.0, 0.0]]

    :covers: baldi-hornik-critical-map
    :erratum: [notation] Section 6.1.2 defines S_xy as the sum of x_i y_i^T, but (6.24) and the
        remark on the slope of least squares write S_xy S_xx^-1; the proof has the right
        S_yx S_xx^-1. It assumes rank A = p, which the theorem neither states nor needs.
    """
    projected: Tensor = torch.linalg.pinv(A) @ least_squares_map(X, Y)
    return A @ projected


def least_squares_map(X: Float[Tensor, "d n"], Y: Float[Tensor, "k n"]) -> Float[Tensor, "k d"]:
    r"""The slope :math:`S_{yx}S_{xx}^{-1}`; refused when :math:`S_{xx}` is singular.

    Example:
        >>> least_squares_map(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 6.0]])).item()
        3.0
    """
    _check(X, Y)
    rank = numerical_rank(X)
    if rank < len(X):
        raise InputError(
            f"S_xx must be invertible, but the {X.shape[1]} points span {rank} of {len(X)} "
            "dimensions"
        )
    slope: Tensor = torch.linalg.lstsq(X.T, Y.T, driver="gelsd").solution
    return slope.T


def explained(X: Float[Tensor, "d n"], Y: Float[Tensor, "k n"]) -> tuple[Tensor, Tensor]:
    r"""Eigenvalues of :math:`\Sigma` in falling order, and eigenvectors as columns.

    Example:
        >>> explained(torch.eye(2), torch.diag(torch.tensor([1.0, 2.0])))[0].tolist()
        [4.0, 1.0]
    """
    fitted = least_squares_map(X, Y) @ X  # Sigma is its Gram matrix
    U, s, _ = torch.linalg.svd(fitted)
    values = torch.zeros(len(Y)).to(Y)
    values[: len(s)] = s.square()
    return values, U


def reduced_rank_loss(X: Float[Tensor, "d n"], Y: Float[Tensor, "k n"], p: int) -> float:
    r"""The least loss of maps of rank at most ``p``.

    .. math:: \tfrac12\Bigl(\operatorname{tr}S_{yy}-\sum_{i\le p}\lambda_i\Bigr)

    Example:
        >>> reduced_rank_loss(torch.eye(2), torch.diag(torch.tensor([1.0, 2.0])), 1)
        0.5
    """
    values, _ = explained(X, Y)
    return 0.5 * float(Y.square().sum() - values[:p].sum())


def enumerate_critical_points(
    X: Float[Tensor, "d n"], Y: Float[Tensor, "k n"], p: int
) -> list[CriticalPair]:
    r"""The critical points of rank ``p``, one for every set of p eigenvectors of :math:`\Sigma`.

    :math:`A=U_I`, :math:`B=U_I^\top S_{yx}S_{xx}^{-1}`; :math:`(AC,C^{-1}B)` are the others. Costs
    :math:`\binom kp` dense Hessians of size :math:`p(k+d)`.

    Example:
        >>> X, Y = torch.eye(2), torch.diag(torch.tensor([1.0, 2.0]))
        >>> [(c.indices, c.loss, bool(c.curvatures[0] < -0.1)) for c in
        ...  enumerate_critical_points(X, Y, 1)]
        [((0,), 0.5, False), ((1,), 2.0, True)]

    :covers: baldi-hornik-landscape
    """
    k, d = len(Y), len(X)
    if not 1 <= p <= min(k, d):
        raise InputError(f"p must lie between 1 and min(k, d) = {min(k, d)}, got {p}")
    slope = least_squares_map(X, Y)
    values, U = explained(X, Y)

    def loss(w: Tensor) -> Tensor:
        return two_layer_loss(w[: k * p].reshape(k, p), w[k * p :].reshape(p, d), X, Y)

    found = []
    for chosen in combinations(range(k), p):
        A = U[:, list(chosen)]
        B = A.T @ slope
        formula = 0.5 * float(Y.square().sum() - values[list(chosen)].sum())
        H = hessian(loss, torch.cat([A.flatten(), B.flatten()]))
        found.append(CriticalPair(chosen, A, B, formula, torch.linalg.eigvalsh(H)))
    return found


def _check(X: Tensor, Y: Tensor) -> None:
    check_finite("X", X)
    check_finite("Y", Y)
    if X.shape[1] != Y.shape[1]:
        raise InputError(
            f"X and Y must have one column per point, got {X.shape[1]} and {Y.shape[1]} columns"
        )
