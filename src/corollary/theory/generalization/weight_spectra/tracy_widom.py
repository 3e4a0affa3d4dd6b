r"""The largest eigenvalue of a random matrix: the law of Tracy and Widom.

For a :math:`p\times n` matrix with independent entries of mean 0 and variance :math:`\sigma^2`,

.. math:: \frac{\lambda_1/\sigma^2-\mu}{s}\to F_1,\qquad
    \mu=\Bigl(\sqrt{n-\tfrac12}+\sqrt{p-\tfrac12}\Bigr)^2,\quad
    s=\sqrt\mu\,\Bigl(\tfrac1{\sqrt{n-1/2}}+\tfrac1{\sqrt{p-1/2}}\Bigr)^{1/3}.

Relative to the edge the fluctuations are of order :math:`p^{-2/3}`. With the halves the law is
right to :math:`O(p^{-2/3})` and good for sizes from about ten. The distribution function is the
Fredholm determinant of Ferrari and Spohn,

.. math:: F_1(x)=\det\bigl(1-V_x\bigr),\qquad V_x(u,v)=\tfrac12\mathrm{Ai}\bigl(\tfrac{u+v}2+x\bigr)
    \ \text{ on } (0,\infty),

which Gauss's rule takes to rounding with some fifty nodes.

:source: Tracy and Widom (1996), "On orthogonal and symplectic matrix ensembles"; Johnstone (2001),
    "On the distribution of the largest eigenvalue in principal components analysis"; Ma (2012),
    "Accuracy of the Tracy-Widom limits for the extreme eigenvalues in white Wishart matrices",
    Theorem 1; Ferrari and Spohn (2005), "A determinantal formula for the GOE Tracy-Widom
    distribution"; Bornemann (2010), "On the numerical evaluation of Fredholm determinants".
"""

import math
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import airy

from corollary.errors import InputError

NODES, REACH = 60, 40.0  # of the quadrature; beyond the reach Ai is below 1e-18 of its scale


def tracy_widom(x: float) -> float:
    """The distribution function of the Tracy-Widom law for real matrices.

    Example:
        >>> round(tracy_widom(-1.2065335745820), 6)  # at its mean
        0.519652
    """
    nodes, weights = _rule(max(REACH, REACH - 2 * x))
    root = np.sqrt(weights)
    kernel = 0.5 * airy((nodes[:, None] + nodes[None, :]) / 2 + x)[0]
    value = np.linalg.det(np.eye(NODES) - root[:, None] * kernel * root[None, :])
    return float(min(max(value, 0.0), 1.0))  # in this order NaN stays NaN


@cache
def tracy_widom_quantile(q: float) -> float:
    """Where the distribution function is q.

    Example:
        >>> round(tracy_widom_quantile(0.95), 4), round(tracy_widom_quantile(0.99), 4)
        (0.9793, 2.0234)
    """
    if not 1e-6 <= q <= 1 - 1e-9:
        raise InputError(f"a level between 1e-6 and 1 - 1e-9 is needed, got {q:g}")
    return float(brentq(lambda x: tracy_widom(x) - q, -9.0, 16.0, xtol=1e-12))


def largest_eigenvalue_scale(p: int, n: int) -> tuple[float, float]:
    """Centre and scale of the largest eigenvalue, for entries of variance 1.

    Example:
        >>> centre, scale = largest_eigenvalue_scale(100, 400)
        >>> round(centre / 900, 3), round(scale, 2)  # 900 is the edge of the bulk
        (0.997, 15.93)
    """
    if min(p, n) < 1:
        raise InputError(f"sizes of at least 1 are needed, got p={p}, n={n}")
    a, b = math.sqrt(n - 0.5), math.sqrt(p - 0.5)
    return (a + b) ** 2, (a + b) * (1 / a + 1 / b) ** (1 / 3)


def noise_ceiling(p: int, n: int, delta: float) -> float:
    r"""What the largest eigenvalue of noise exceeds with probability :math:`\delta`.

    For entries of variance 1; multiply by the variance.

    Example:
        >>> 900 < noise_ceiling(100, 400, 0.01) < noise_ceiling(100, 400, 0.001) < 1000
        True
    """
    centre, scale = largest_eigenvalue_scale(p, n)
    return centre + scale * tracy_widom_quantile(1 - delta)


@cache
def _rule(reach: float) -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (nodes + 1) * reach / 2, weights * reach / 2
