r"""Constant-step SGD on a linear system: a floor, or none.

:math:`\ell_i(w)=\frac n2(x_i^\top w-y_i)^2` with i uniform, so that the mean is
:math:`\frac12\|Xw-y\|^2`. If :math:`Xw=y` has no solution the iterates keep moving. If it has one,
all :math:`\nabla\ell_i` vanish there, and for full column rank and
:math:`\eta<2/(n\max_i\|x_i\|^2)`

.. math:: \mathbb E\|w_k-w_*\|^2\le\bigl(1-\eta\lambda_{\min}(2-\eta n\max_i\|x_i\|^2)\bigr)^k
   \|w_0-w_*\|^2,\qquad\lambda_{\min}=\lambda_{\min}(X^\top X) .

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.8, Problem 2; Strohmer and Vershynin
    (2009), "A randomized Kaczmarz algorithm with exponential convergence".
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.optimization.stochastic.descent import sgd
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum, squares


class Steps(NamedTuple):
    """Step sizes that a linear system suggests."""

    floor: float  # 1/(2 ||X^T X||): up to here the floor inequality holds
    convergence: float  # 2/(n max ||x_i||^2): below it a consistent system is solved


class Floor(NamedTuple):
    """The error of constant-step SGD along a run."""

    steps: tuple[int, ...]
    error: Float[Tensor, "k r"]  # squared distance to the least-squares solution
    consistent: bool  # whether Xw = y has a solution


def step_limits(X: Float[Tensor, "n d"]) -> Steps:
    """The two step sizes of the notes' inequality and of convergence.

    Example:
        >>> step_limits(torch.eye(2, dtype=torch.float64))
        Steps(floor=0.5, convergence=1.0)
    """
    longest = float(X.square().sum(dim=1).max())
    if longest == 0:
        raise InputError("X must have a non-zero row, but all rows are zero")
    return Steps(0.5 / float(torch.linalg.matrix_norm(X, 2)) ** 2, 2 / (len(X) * longest))


def contraction(X: Float[Tensor, "n d"], eta: float) -> float:
    r"""The factor :math:`1-\eta\lambda_{\min}(2-\eta n\max_i\|x_i\|^2)` of a step.

    Below 1 a consistent system is solved.

    Example:
        >>> contraction(torch.eye(2, dtype=torch.float64), eta=0.5)
        0.5
    """
    smallest = float(torch.linalg.eigvalsh(X.T @ X)[0])
    return 1 - eta * smallest * (2 - 2 * eta / step_limits(X).convergence)


def sum_of_squares(X: Float[Tensor, "n d"], y: Float[Tensor, " n"]) -> FiniteSum:
    """The functions above: n times as steep as a mean's, so that the mean is the whole sum.

    Example:
        >>> o = sum_of_squares(torch.eye(2).double(), torch.ones(2).double())
        >>> o.value(torch.zeros(2).double()).item(), o.L
        (1.0, 1.0)
    """
    return squares(X, y, scale=float(len(X)))


def sgd_floor(
    X: Float[Tensor, "n d"],
    y: Float[Tensor, " n"],
    eta: float,
    *,
    steps: int,
    runs: int = 1,
    points: int = 100,
    rng: Generator,
) -> Floor:
    """Run SGD from 0 with a constant step, and record the squared error about ``points`` times.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> X, y = torch.eye(2).double(), torch.ones(2).double()
        >>> found = sgd_floor(X, y, 0.5, steps=50, rng=rng)  # each row is solved when it is drawn
        >>> found.consistent, found.error[-1, 0].item()
        (True, 0.0)

    :covers: sgd-constant-step-floor
    :erratum: [missing hypothesis] The inequality of 2e) holds, but that SGD does not converge does
        not follow under y = X w_*, which part c) recalls: then all gradients vanish at w_*, and a
        constant step converges below 2/(n max ||x_i||^2). One needs X w_* != y. With n = 20, d = 3
        and the step 1/(2 ||X^T X||) the error falls below 1e-28. The claim sgd_interpolation holds
        for a system with a solution and fails for one without.
    """
    problem = sum_of_squares(X, y)
    w = problem.minimiser
    residual = float((X @ w - y).norm())
    every = max(steps // points, 1)
    keep = [*range(0, steps, every), steps]
    x0 = torch.zeros(runs, X.shape[1], dtype=X.dtype, device=X.device)
    found = sgd(problem, x0, eta, steps, keep=keep, rng=rng)
    error = (found.x - w).square().sum(dim=-1)
    tiny = 1e-9 if X.dtype == torch.float64 else 1e-4
    return Floor(found.steps, error, residual <= tiny * max(float(y.norm()), tiny))
