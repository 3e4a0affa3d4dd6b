r"""How many steps gradient descent needs, by what is known of f.

For L-smooth f and :math:`0<\eta\le1/L`, with :math:`D_0=\|x_0-x^*\|` and
:math:`\Delta_0=f(x_0)-f^*`:

================================= =============================================================
f is                              after k steps
================================= =============================================================
:math:`\mu`-strongly convex       :math:`\|x_k-x^*\|^2\le(1-\eta\mu)^kD_0^2`
convex                            :math:`f(x_k)-f^*\le D_0^2/(2\eta k)`
:math:`\mu`-PL                    :math:`f(x_k)-f^*\le(1-2\mu\eta(1-\eta L/2))^k\Delta_0`
bounded below                     :math:`\min_{i\le k}\|\nabla f(x_i)\|^2\le2\Delta_0/(\eta(k+1))`
================================= =============================================================

:source: Lucchi (2025), Foundations of Deep Learning, Theorems 34, 37, 38 and 40, Corollary 35;
    Perez Jensen (2025), Deep Learning, Section 3.2, Lemmas 3.2 and 3.4; Karimi, Nutini and Schmidt
    (2016), "Linear convergence of gradient and proximal-gradient methods under the
    Polyak-Łojasiewicz condition".
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.optimization.gradient_descent import Descent, gradient_descent
from corollary.theory.prerequisites.gradients import Function
from corollary.theory.prerequisites.wellformed import check_at_least, check_positive


class StronglyConvexBound(NamedTuple):
    """Bounds after k steps."""

    distance2: float  # of the squared distance to the minimiser
    gap: float  # of f above its minimum


class Certified(NamedTuple):
    """A run set against a bound."""

    run: Descent
    bound: tuple[float, ...]
    first_violation: int | None  # the first iterate beyond the bound


def gd_strongly_convex(mu: float, L: float, eta: float, k: int, D0: float) -> StronglyConvexBound:
    r"""The bounds :math:`(1-\eta\mu)^kD_0^2` and :math:`\frac L2(1-\eta\mu)^kD_0^2`.

    Example:
        >>> gd_strongly_convex(mu=1.0, L=2.0, eta=0.5, k=2, D0=2.0)
        StronglyConvexBound(distance2=1.0, gap=1.0)

    :covers: gd-strongly-convex
    """
    _check_steps(eta, L, k)
    if not 0 < mu <= L:
        raise InputError(f"mu must lie in (0, L], got mu = {mu:g} and L = {L:g}")
    distance2 = (1 - eta * mu) ** k * D0**2
    return StronglyConvexBound(distance2, L / 2 * distance2)


def certify_strongly_convex(
    f: Function,
    x0: Float[Tensor, " d"],
    minimiser: Float[Tensor, " d"],
    *,
    mu: float,
    L: float,
    eta: float,
    steps: int,
) -> Certified:
    r"""Run gradient descent and name the first iterate beyond :math:`(1-\eta\mu)^kD_0^2`, if any.

    A violation proves that mu, L or the minimiser is wrong.

    Example:
        >>> import torch
        >>> f, one, zero = lambda x: 0.5 * (x**2).sum(), torch.ones(1), torch.zeros(1)
        >>> certify_strongly_convex(f, one, zero, mu=1.0, L=1.0, eta=0.5, steps=5).first_violation
        >>> certify_strongly_convex(f, one, zero, mu=4.0, L=4.0, eta=0.25, steps=5).first_violation
        1
    """
    run = gradient_descent(f, x0, eta, steps)
    D0 = float((x0 - minimiser).norm())
    bound = [gd_strongly_convex(mu, L, eta, k, D0).distance2 for k in range(len(run.x))]
    found = (run.x - minimiser).square().sum(dim=1).tolist()
    return Certified(run, tuple(bound), _first_above(found, bound))


def gd_convex(eta: float, k: int, D0: float) -> float:
    r"""The bound :math:`D_0^2/(2\eta k)` on :math:`f(x_k)-f^*` for convex f; k is at least 1.

    Example:
        >>> gd_convex(eta=0.5, k=4, D0=2.0)
        1.0

    :covers: gd-convex
    """
    check_positive("eta", eta)
    if k < 1:
        raise InputError(f"expected a step k >= 1, got k = {k}")
    return D0**2 / (2 * eta * k)


def gd_nonconvex(delta: float, eta: float, k: int) -> float:
    r"""The bound :math:`2\Delta_0/(\eta(k+1))` on :math:`\min_{i\le k}\|\nabla f(x_i)\|^2`.

    Proof. By the descent lemma each step has :math:`\frac\eta2\|\nabla f(x_i)\|^2\le f(x_i)-
    f(x_{i+1})` for :math:`\eta\le1/L`. Over :math:`i=0,\dots,k` the right sides telescope to
    :math:`f(x_0)-f(x_{k+1})\le\Delta_0`, and the least of the :math:`k+1` left sides is at most
    their mean. Nothing follows about :math:`f(x_k)`: a start at a saddle stays there.

    Example:
        >>> gd_nonconvex(delta=1.0, eta=0.5, k=3)
        1.0

    :covers: gd-nonconvex
    """
    check_positive("eta", eta)
    if k < 0 or delta < 0:
        raise InputError(f"k and delta must not be negative, got k={k}, delta={delta:g}")
    return 2 * delta / (eta * (k + 1))


def gd_iteration_bound(L: float, h0: float, hstar: float, eps: float) -> int:
    r"""So many steps of size 1/L reach :math:`\|\nabla h\|\le\varepsilon`.

    It is the least T with :math:`T\ge2L(h_0-h^*)/\varepsilon^2`, from :func:`gd_nonconvex`.

    Example:
        >>> gd_iteration_bound(L=1.0, h0=1.0, hstar=0.0, eps=0.1)
        200
    """
    check_positive("L", L)
    check_positive("eps", eps)
    needed = 2 * L * (h0 - hstar) / eps**2
    return math.ceil(needed * (1 - 1e-12))


def run_until_critical(
    h: Function, x0: Float[Tensor, " d"], *, L: float, eps: float, max_steps: int = 100_000
) -> Descent:
    r"""Gradient descent with step 1/L, stopped at the first :math:`\|\nabla h\|\le\varepsilon`.

    Example:
        >>> import torch
        >>> run = run_until_critical(lambda x: 0.5 * (x**2).sum(), torch.ones(1), L=2.0, eps=0.3)
        >>> run.gradient_norm.tolist()
        [1.0, 0.5, 0.25]
    """
    check_positive("L", L)
    check_at_least("eps", eps, 0)
    return gradient_descent(h, x0, 1 / L, max_steps, tol=eps)


def gd_pl(mu: float, L: float, eta: float, k: int) -> float:
    r"""The factor :math:`(1-2\mu\eta(1-\eta L/2))^k` of the gap under PL.

    At :math:`\eta=1/L` it is :math:`(1-\mu/L)^k`.

    Example:
        >>> gd_pl(mu=1.0, L=2.0, eta=0.5, k=2), gd_pl(mu=1.0, L=2.0, eta=0.25, k=1)
        (0.25, 0.625)

    :covers: gd-pl
    :erratum: [wrong] Theorem 40 states the step 1/(2L) with the rate 1 - mu/L; its proof uses the
        decrease of the step 1/L, and as printed it is false: f = L x^2/2 has mu = L, the step
        1/(2L) leaves a quarter of f, the statement says 0. With 1/(2L) the proof gives
        1 - 3 mu/(4L). The claim gd_pl shows it. [typo] The proof of Lemma 3.4 in Perez Jensen's
        notes has gradient and gap at theta^T on the right; they belong to theta^{T-1}.
    """
    _check_steps(eta, L, k)
    if not 0 < mu <= L:
        raise InputError(f"mu must lie in (0, L], got mu = {mu:g} and L = {L:g}")
    return (1 - 2 * mu * eta * (1 - eta * L / 2)) ** k


def pl_rate(L: float, mu: float) -> float:
    r"""The factor :math:`1-\mu/L` of a step of size 1/L.

    Example:
        >>> pl_rate(L=4.0, mu=1.0)
        0.75
    """
    return gd_pl(mu, L, 1 / L, 1)


def _check_steps(eta: float, L: float, k: int) -> None:
    check_positive("eta", eta)
    check_positive("L", L)
    if eta > (1 + 1e-12) / L:
        raise InputError(f"the bound needs eta <= 1/L = {1 / L:.4g}, got eta = {eta:.4g}")
    if k < 0:
        raise InputError(f"k must not be negative, got {k}")


def _first_above(found: Sequence[float], bound: Sequence[float]) -> int | None:
    """The first entry beyond its bound by more than rounding."""
    above = (k for k, (m, b) in enumerate(zip(found, bound, strict=True)) if m > b * (1 + 1e-9))
    return next(above, None)
