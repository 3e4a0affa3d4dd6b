r"""Functions to descend on, with the constants that the theorems ask for.

Each knows its smoothness L, its strong convexity :math:`\mu` (0 where there is none), its
Polyak-Łojasiewicz constant, a minimiser and its minimum (for ``waves`` a lower bound only).
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from corollary.errors import InputError
from corollary.theory.networks.least_squares import ols
from corollary.theory.networks.logistic import logistic_loss
from corollary.theory.optimization.newton import newton
from corollary.theory.optimization.polyak_lojasiewicz import least_squares_pl
from corollary.theory.prerequisites.gradients import Function
from corollary.theory.prerequisites.wellformed import check_positive, check_symmetric


@dataclass(frozen=True)
class Objective:
    """A function with its constants."""

    name: str
    f: Function
    L: float  # smoothness
    mu: float  # strong convexity
    pl: float  # Polyak-Łojasiewicz constant, at least mu
    minimiser: Float[Tensor, " d"]  # NaN where none is known
    minimum: float  # value there, or a lower bound


def quadratic(Q: Float[Tensor, "d d"], q: Float[Tensor, " d"] | None = None) -> Objective:
    r""":math:`\frac12x^\top Qx-q^\top x` with positive definite Q.

    Example:
        >>> quadratic(torch.diag(torch.tensor([1.0, 4.0]))).L
        4.0
    """
    check_symmetric("Q", Q)
    values = torch.linalg.eigvalsh(Q)
    if not bool(values[0] > 0):
        raise InputError(f"Q must be positive definite, but an eigenvalue is {values[0]:.3g}")
    q = torch.zeros_like(Q[0]) if q is None else q
    x = torch.linalg.solve(Q, q)
    low, high = float(values[0]), float(values[-1])

    def f(x: Tensor) -> Tensor:
        return 0.5 * x @ Q @ x - q @ x

    return Objective("quadratic", f, high, low, low, x, float(f(x)))


def least_squares(X: Float[Tensor, "n d"], y: Float[Tensor, " n"]) -> Objective:
    r""":math:`\frac12\|Xw-y\|^2`; PL for X of any rank, strongly convex for full column rank.

    Example:
        >>> o = least_squares(torch.tensor([[2.0, 0.0]]), torch.tensor([2.0]))
        >>> o.L, o.mu, o.pl, o.minimum
        (4.0, 0.0, 4.0, 0.0)
    """
    solved, L = ols(X, y), float(torch.linalg.matrix_norm(X, 2)) ** 2
    pl = least_squares_pl(X)

    def f(w: Tensor) -> Tensor:
        return 0.5 * (X @ w - y).square().sum()

    mu = pl if solved.unique else 0.0
    return Objective("least squares", f, L, mu, pl, solved.w, solved.loss)


def ridge_logistic(x: Float[Tensor, "n d"], y: Float[Tensor, " n"], lam: float) -> Objective:
    r"""Mean logistic loss plus :math:`\frac\lambda2\|w\|^2`; labels 0 or 1.

    :math:`\mu=\lambda` and :math:`L=\frac1{4n}\|X\|^2+\lambda`; the minimiser is found by Newton.

    Example:
        >>> x, y = torch.tensor([[1.0], [1.0]]).double(), torch.tensor([0.0, 1.0]).double()
        >>> o = ridge_logistic(x, y, lam=0.5)
        >>> o.L, round(o.minimum, 6)  # at w = 0
        (0.75, 0.693147)
    """
    check_positive("lam", lam)

    def f(w: Tensor) -> Tensor:
        return logistic_loss(x @ w, y) + 0.5 * lam * w.square().sum()

    L = float(torch.linalg.matrix_norm(x, 2)) ** 2 / (4 * len(x)) + lam
    near = newton(f, torch.zeros_like(x[0]), steps=50, tol=1e-8).x[-1]
    w = newton(f, near, steps=1).x[-1]  # the error squares once more, down to rounding
    return Objective("ridge logistic", f, L, lam, lam, w, float(f(w)))


def huber(d: int, *, delta: float = 1.0, dtype: torch.dtype = torch.float64) -> Objective:
    r"""A parabola up to a distance :math:`\delta` of 0, straight beyond; convex and 1-smooth.

    Example:
        >>> huber(1).f(torch.tensor([3.0], dtype=torch.float64)).item()
        2.5
    """
    check_positive("delta", delta)

    def f(x: Tensor) -> Tensor:
        return F.huber_loss(x, torch.zeros_like(x), reduction="sum", delta=delta)

    return Objective("Huber", f, 1.0, 0.0, 0.0, torch.zeros(d, dtype=dtype), 0.0)


def log_sum_exp(A: Float[Tensor, "n d"]) -> Objective:
    r""":math:`\log\sum_i2\cosh(a_i^\top x)`; convex, with :math:`L=\max_i\|a_i\|^2`, minimal at 0.

    The Hessian is the covariance of :math:`\pm a_i` under a distribution, hence the L.

    Example:
        >>> round(log_sum_exp(torch.ones(1, 1).double()).minimum, 6)  # log 2
        0.693147
    """

    def f(x: Tensor) -> Tensor:
        z = A @ x
        return torch.logsumexp(torch.cat([z, -z]), dim=0)

    L = float(A.square().sum(dim=1).max())
    return Objective("log-sum-exp", f, L, 0.0, 0.0, torch.zeros_like(A[0]), math.log(2 * len(A)))


def sine_valley(d: int = 1, *, dtype: torch.dtype = torch.float64) -> Objective:
    r""":math:`\sum_ix_i^2+3\sin^2x_i`: 8-smooth, PL with :math:`\mu=\frac1{32}`, not convex.

    Example:
        >>> o = sine_valley()
        >>> o.L, o.mu, o.pl, o.minimum
        (8.0, 0.0, 0.03125, 0.0)
    """

    def f(x: Tensor) -> Tensor:
        return (x.square() + 3 * torch.sin(x).square()).sum()

    return Objective("sine valley", f, 8.0, 0.0, 1 / 32, torch.zeros(d, dtype=dtype), 0.0)


def waves(w: Float[Tensor, "m d"], b: Float[Tensor, " m"], a: Float[Tensor, " m"]) -> Objective:
    r""":math:`\sum_ja_j(1+\cos(w_j^\top x+b_j))` with :math:`a_j\ge0`: hills and saddles, above 0.

    :math:`L=\|\sum_ja_jw_jw_j^\top\|`, because the cosine's second derivative is at most 1.

    Example:
        >>> one = torch.ones(1)
        >>> waves(2 * torch.ones(1, 1), one, one).L
        4.0
    """
    if bool((a < 0).any()):
        raise InputError("the amplitudes a must not be negative")

    def f(x: Tensor) -> Tensor:
        return (a * (1 + torch.cos(w @ x + b))).sum()

    L = float(torch.linalg.eigvalsh((w * a[:, None]).T @ w)[-1])
    return Objective("waves", f, L, 0.0, 0.0, torch.full_like(w[0], math.nan), 0.0)
