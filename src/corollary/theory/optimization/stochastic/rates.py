r"""What SGD costs on smooth functions, against gradient descent.

With :math:`\Delta=f(x_0)-f^*`, L-smooth f and :math:`\mathbb E\|\nabla f_i\|^2\le\sigma^2` along
the run, K steps of size :math:`\eta=c/\sqrt K`, :math:`c=\sqrt{2\Delta/(L\sigma^2)}`, give

.. math:: \frac1K\sum_{k<K}\mathbb E\|\nabla f(x_k)\|^2\le\sigma\sqrt{2\Delta L/K} .

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 41 and Section 5.7; Ghadimi and Lan
    (2013), "Stochastic first- and zeroth-order methods for nonconvex stochastic programming".
"""

import math
from typing import Literal, NamedTuple

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_positive


class NonconvexRate(NamedTuple):
    """The step and what it guarantees."""

    eta: float
    bound: float  # of the mean squared gradient norm


class Complexity(NamedTuple):
    """What a guarantee costs."""

    iterations: int
    gradients: int  # of single functions


def sgd_nonconvex(delta: float, L: float, sigma: float, K: int) -> NonconvexRate:
    r"""The step :math:`c/\sqrt K` and the bound :math:`\sigma\sqrt{2\Delta L/K}`.

    Example:
        >>> sgd_nonconvex(delta=2.0, L=1.0, sigma=1.0, K=16)
        NonconvexRate(eta=0.5, bound=0.5)

    :covers: sgd-nonconvex-rate
    :erratum: [typo] The telescoped term in (5.9) is written f(x_{K-1}); summing over k = 0, ...,
        K - 1 leaves f(x_K). The bound is not affected.
    """
    _check(delta, L, sigma)
    if K < 1:
        raise InputError(f"K must be at least 1, got {K}")
    c = math.sqrt(2 * delta / (L * sigma**2))
    return NonconvexRate(c / math.sqrt(K), sigma * math.sqrt(2 * delta * L / K))


def complexity(
    method: Literal["SGD", "GD"], eps: float, *, delta: float, L: float, sigma: float, n: int
) -> Complexity:
    r"""Iterations and component gradients until :math:`\mathbb E\|\nabla f\|^2\le\varepsilon`.

    SGD: :math:`K=2\Delta L\sigma^2/\varepsilon^2`, one gradient each. Gradient descent:
    :math:`K=2L\Delta/\varepsilon`, n gradients each.

    Example:
        >>> complexity("SGD", 0.1, delta=1.0, L=1.0, sigma=1.0, n=50)
        Complexity(iterations=200, gradients=200)
        >>> complexity("GD", 0.1, delta=1.0, L=1.0, sigma=1.0, n=50)
        Complexity(iterations=20, gradients=1000)

    :covers: iteration-complexity-gd-sgd
    :erratum: [loose] O(n/eps) is called the iteration complexity of gradient descent; by Theorem 38
        it needs O(1/eps) iterations, and n/eps counts gradients of single functions. Writing every
        function down ten times leaves the 20 iterations above and makes 10,000 gradients of 1,000.
    """
    _check(delta, L, sigma)
    check_positive("eps", eps)
    if n < 1:
        raise InputError(f"n must be at least 1, got {n}")
    if method == "SGD":
        K = _whole(2 * delta * L * sigma**2 / eps**2)
        return Complexity(K, K)
    K = _whole(2 * L * delta / eps)
    return Complexity(K, n * K)


def crossover_n(eps: float, sigma: float) -> float:
    r"""The number of functions :math:`\sigma^2/\varepsilon` beyond which SGD needs fewer gradients.

    Example:
        >>> crossover_n(0.5, sigma=2.0)
        8.0
    """
    check_positive("eps", eps)
    check_positive("sigma", sigma)
    return sigma**2 / eps


def _whole(K: float) -> int:
    """Rounded up, unless it is a whole number up to rounding."""
    near = round(K)
    return max(near if abs(K - near) <= 1e-9 * K else math.ceil(K), 1)


def _check(delta: float, L: float, sigma: float) -> None:
    check_positive("delta", delta)
    check_positive("L", L)
    check_positive("sigma", sigma)
