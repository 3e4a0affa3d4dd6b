r"""Gradient descent for a linear system, with a certificate of its contraction.

For :math:`\ell(w)=\frac12\|Xw-y\|^2` and :math:`y=Xw_*`

.. math:: w_{t+1}-w_*=(I-\eta X^\top X)(w_t-w_*),\qquad
   \|w_t-w_*\|\le\|I-\eta X^\top X\|_{\mathrm{op}}^t\,\|w_0-w_*\| .

With full column rank and :math:`0<\eta<2/\|X^\top X\|` the factor is below 1. Without it the factor
is 1: what the start has in the null space of X stays for ever, and the descent finds the solution
nearest to its start.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.8, Problem 2, (5.13) and (5.14).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.theory.networks.least_squares import ols, ols_gradient
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.prerequisites.wellformed import check_positive


class LeastSquaresRun(NamedTuple):
    """The iterates and what is known of them in advance."""

    w: Float[Tensor, "t d"]
    target: Float[Tensor, " d"]  # the least-squares solution nearest to the start
    distance: Float[Tensor, " t"]  # of each iterate to it
    factor: float  # ||I - eta X^T X||, over all of R^d
    row_space_factor: float  # the same on the row space of X: what really contracts
    unique: bool  # X has full column rank


def least_squares_gd(
    X: Float[Tensor, "n d"],
    y: Float[Tensor, " n"],
    eta: float,
    steps: int,
    *,
    w0: Float[Tensor, " d"] | None = None,
) -> LeastSquaresRun:
    r"""Run ``steps`` steps from ``w0`` (0 if absent) on :math:`\frac12\|Xw-y\|^2`.

    An inconsistent system is handled by its least-squares solution. Costs :math:`O(nd)` a step and
    a singular value decomposition.

    Example:
        >>> X = torch.tensor([[1.0, 0.0], [0.0, 2.0]], dtype=torch.float64)
        >>> run = least_squares_gd(X, torch.ones(2, dtype=torch.float64), eta=0.25, steps=2)
        >>> run.factor, run.w[-1].tolist(), run.unique
        (0.75, [0.4375, 0.5], True)

    :covers: least-squares-gd
    """
    check_positive("eta", eta)
    start = torch.zeros_like(X[0]) if w0 is None else w0
    solved = ols(X, y - X @ start)  # the shortest correction of the start
    run = gradient_descent(lambda w: 0.5 * (X @ w - y).square().sum(), start, eta, steps)
    s = torch.linalg.svdvals(X)[: solved.rank]
    contraction = float((1 - eta * s.square()).abs().max())
    target = start + solved.w
    factor = contraction if solved.unique else max(contraction, 1.0)
    distance = (run.x - target).norm(dim=1)
    return LeastSquaresRun(run.x, target, distance, factor, contraction, solved.unique)


def least_squares_step(
    X: Float[Tensor, "n d"], y: Float[Tensor, " n"], w: Float[Tensor, " d"], eta: float
) -> Float[Tensor, " d"]:
    r"""One step, :math:`w-\eta X^\top(Xw-y)`, without autograd.

    Example:
        >>> least_squares_step(torch.eye(2), torch.ones(2), torch.zeros(2), eta=0.5)
        tensor([0.5000, 0.5000])
    """
    return w - eta * ols_gradient(X, y, w)
