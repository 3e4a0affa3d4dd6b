r"""Which interpolating solution gradient descent finds.

For :math:`\mathcal L(w)=\frac1n\|Xw-y\|^2` with rank n every gradient lies in the row space of X,
so the part of w in :math:`\ker X` never moves, and for :math:`0<\eta<n/\sigma_1^2`

.. math:: w_t\to\operatorname*{argmin}_{Xw=y}\|w-w_0\|=w_0+X^+(y-Xw_0),\qquad
   \|w_t-w_\infty\|\le\rho^t\|w_0-w_\infty\|,\quad
   \rho=\max_{i\le n}\Bigl|1-\frac{2\eta\sigma_i^2}n\Bigr| .

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.1, Theorem 71 and Figure 11.2;
    Gunasekar, Lee, Soudry and Srebro (2018), "Characterizing implicit bias in terms of optimization
    geometry".
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.optimization.quadratic_descent import iterations_to
from corollary.theory.prerequisites.quadratic_losses import LeastSquares
from corollary.theory.prerequisites.singular import rank_cutoff
from corollary.theory.prerequisites.span import column_space
from corollary.theory.prerequisites.wellformed import check_finite, check_positive, rounding


class Split(NamedTuple):
    """A vector as the sum of two orthogonal ones."""

    row: Float[Tensor, "... d"]  # in the span of the rows of X
    kernel: Float[Tensor, "... d"]  # orthogonal to every row


class Interpolators(NamedTuple):
    r"""All solutions of :math:`Xw=y`: a point, and the directions in which one may leave it."""

    point: Float[Tensor, " d"]  # the shortest solution
    directions: Float[Tensor, "d k"]  # an orthonormal basis of ker X

    @property
    def dimension(self) -> int:
        """Of the affine space: d minus the rank of X."""
        return self.directions.shape[1]

    def nearest(self, w: Float[Tensor, "... d"]) -> Float[Tensor, "... d"]:
        """The solution nearest to w: its orthogonal projection."""
        return self.point + (w - self.point) @ self.directions @ self.directions.T


class ImplicitBias(NamedTuple):
    """Where gradient descent went, where theory says it goes, and how that was certified."""

    limit: Float[Tensor, " d"]
    prediction: Float[Tensor, " d"]  # w0 + X^+ (y - X w0)
    path: Float[Tensor, "t d"]  # all iterates, the start first
    factor: float  # rho, of the distance in one step
    distance: float  # of limit and prediction
    moved_in_kernel: float  # length of the part of (limit - w0) that no gradient can explain


def row_space_split(X: Float[Tensor, "n d"], w: Float[Tensor, "... p"]) -> Split:
    r"""Write :math:`w=w_x+w_c` with :math:`w_x` in the span of the rows and :math:`Xw_c=0`.

    Then :math:`Xw=Xw_x` and :math:`\|w\|^2=\|w_x\|^2+\|w_c\|^2`, so the shortest solution of
    :math:`Xw=y` has :math:`w_c=0`.

    Example:
        >>> X = torch.tensor([[2.0, 0.0]], dtype=torch.float64)
        >>> row, kernel = row_space_split(X, torch.tensor([3.0, 4.0], dtype=torch.float64))
        >>> row.tolist(), kernel.tolist()
        ([3.0, 0.0], [0.0, 4.0])

    :covers: orthogonal-decomposition-min-norm
    :source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.1, (11.7)-(11.10).
    """
    check_finite("w", w)
    if w.shape[-1] != X.shape[1]:
        raise InputError(f"w must have {X.shape[1]} entries, got {w.shape[-1]}")
    basis = column_space(X.T)
    row = w @ basis @ basis.T
    return Split(row, w - row)


def interpolators(X: Float[Tensor, "n d"], y: Float[Tensor, " n"]) -> Interpolators:
    r"""The affine space :math:`\{w:Xw=y\}`; refused if the equations contradict each other.

    Example:
        >>> X = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], dtype=torch.float64)
        >>> found = interpolators(X, torch.tensor([1.0, 2.0], dtype=torch.float64))
        >>> found.point.tolist(), found.dimension  # a line: two planes meet
        ([1.0, 2.0, 0.0], 1)

    :covers: overparametrized-solution-manifold
    :source: Lucchi (2025), Foundations of Deep Learning, Figure 11.2.
    """
    point = LeastSquares(X, y).minimiser()
    off = float((X @ point - y).norm())
    if off > 1e3 * rounding(X) * max(float(y.norm()), 1e-300):
        raise InputError(
            f"Xw = y has no solution: the best w misses y by {off:.3g}, because the "
            "hyperplanes are parallel or contradict each other"
        )
    s, Vt = torch.linalg.svd(X)[1:]
    rank = int((s > rank_cutoff(X, s, None)).sum())
    return Interpolators(point, Vt[rank:].T)


def interpolation_factor(X: Float[Tensor, "n d"], eta: float) -> float:
    r"""The factor :math:`\rho=\max_i|1-2\eta\sigma_i^2/n|` over the n singular values.

    Below 1 iff the rank is n and :math:`0<\eta<n/\sigma_1^2`.

    Example:
        >>> interpolation_factor(torch.tensor([[1.0, 0.0]]), eta=0.25)
        0.5
    """
    s = torch.linalg.svdvals(X)
    return float((1 - 2 * eta * s.square() / len(X)).abs().max())


def implicit_bias_ls(
    X: Float[Tensor, "n d"],
    y: Float[Tensor, " n"],
    w0: Float[Tensor, " d"] | None = None,
    eta: float | None = None,
    *,
    tol: float = 1e-12,
    most: int = 100_000,
) -> ImplicitBias:
    r"""Run gradient descent on :math:`\frac1n\|Xw-y\|^2` to its limit, beside the closed form.

    The number of steps is that after which :math:`\rho^t\le` ``tol``; each costs :math:`O(nd)`.

    Args:
        X: Rows of rank n, at most d of them.
        y: Targets.
        w0: The start; 0 if absent, which leads to the shortest solution.
        eta: The step size; :math:`n/(\sigma_1^2+\sigma_n^2)`, the best one, if absent.
        tol: The share of the first distance that may be left.
        most: Steps at most.

    Example:
        >>> X = torch.tensor([[1.0, 1.0]], dtype=torch.float64)
        >>> found = implicit_bias_ls(X, torch.tensor([2.0], dtype=torch.float64))
        >>> [round(v, 12) for v in found.limit.tolist()], found.distance < 1e-12
        ([1.0, 1.0], True)

    :covers: min-norm-implicit-bias
    :test: tests/theory/regularization/test_interpolation.py
    :erratum: [missing hypothesis] Theorem 71 names no step size, but 0 < eta < n/lambda_max(X^T X)
        is needed (at 1.05 times the limit a hundred steps multiply the distance by 1.1^100 = 14,000
        in the stiffest direction), and no consistency: rank X = n, or y in the range. And
        "d > n, X is full rank, therefore w1 = w2" is no reason: d > n does not give full rank, and
        X always has a kernel; both solutions lie in the span of the x_i, so their difference is in
        the row space and in the kernel at once. The claim closest_interpolator breaks both.
    """
    check_finite("X", X)
    start = torch.zeros_like(X[0]) if w0 is None else w0
    s = torch.linalg.svdvals(X)
    if len(X) > X.shape[1] or float(s[-1]) <= rank_cutoff(X, s, None):
        raise InputError(
            f"the rows of X must be linearly independent, got shape {tuple(X.shape)} with "
            f"smallest singular value {float(s[-1]):.3g}"
        )
    limit = len(X) / float(s[0]) ** 2
    eta = len(X) / float(s[0] ** 2 + s[-1] ** 2) if eta is None else eta
    check_positive("eta", eta)
    if eta >= limit:
        raise InputError(f"eta must be below n/sigma_1^2 = {limit:.4g}, got {eta:.4g}")
    rho = interpolation_factor(X, eta)
    steps = min(most, iterations_to(tol, rho))
    path = LeastSquares(X, y, 1 / len(X)).descend(start, eta=eta, steps=steps)
    prediction = start + torch.linalg.pinv(X) @ (y - X @ start)
    moved = row_space_split(X, path[-1] - start).kernel.norm()
    distance = float((path[-1] - prediction).norm())
    return ImplicitBias(path[-1], prediction, path, rho, distance, float(moved))
