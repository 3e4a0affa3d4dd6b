r"""The trace from quadratic forms of random probes, with an interval that covers.

For probes :math:`\Omega=(\omega_1,\dots,\omega_g)` with standard normal entries and a symmetric A,
the mean :math:`\hat T` of the diagonal of :math:`X=\Omega^\top A\,\Omega` is the trace of A on
average. It is skewed if few eigenvalues make most of the trace, and large with its own standard
deviation: Student's interval from ten probes of a matrix of rank one covers 86 % in place of 95 %.
The entries off the diagonal, which cost no further product, tell how skewed it is. With
:math:`M=X-\hat T I`

.. math:: E\operatorname{tr}M^2=(g-1)(g+2)\operatorname{tr}A^2,\qquad
    E\operatorname{tr}M^3=\tfrac{(g-1)(g-2)(g+2)(g+4)}g\operatorname{tr}A^3,

and :math:`\hat T` has standard deviation :math:`\sigma=(2\operatorname{tr}A^2/g)^{1/2}` and
skewness :math:`\gamma=(8/g)^{1/2}\,r`, :math:`r=\operatorname{tr}A^3/(\operatorname{tr}A^2)^{3/2}`.
Its law is taken to be the shifted gamma law with these moments. Given :math:`\hat T` the estimate
of :math:`\sigma` is :math:`\sigma\,(1+\frac\gamma{2\sigma}(\hat T-T))` on average, so for quantiles
G of the gamma law of mean 1 and shape :math:`4/\gamma^2`

.. math:: T=\hat T-\frac{2\hat\sigma}\gamma\Bigl(1-\frac1G\Bigr),

which is exact for rank one. Because r is estimated, and its error is not independent of that of
:math:`\hat T`, the interval is made to contain Student's too.

Probes of fixed length spare the variance of the part of A that is a multiple of I: M is then
:math:`X-\hat TN` with the Gram matrix N of the normalised probes.

:source: Hall (1983), "Chi squared approximations to the distribution of a sum of independent random
    variables", and Buckley and Eagleson (1988), "An approximation to the distribution of quadratic
    forms in normal random variables", for the law with three moments; the rest is derived here.
"""

import numpy as np
from jaxtyping import Float
from scipy.special import ndtri, stdtrit

from corollary.theory.confidence.mean import skewed_quantile
from corollary.theory.landscape.curvature.interval import Estimate, check_level


def trace_estimate(
    X: Float[np.ndarray, "g g"], N: Float[np.ndarray, "g g"], level: float
) -> Estimate:
    """The trace from one set of forms; see :func:`trace_intervals`."""
    mean, low, high = (float(v[0]) for v in trace_intervals(X[None], N, level))
    return Estimate(mean, low, high, level)


def trace_intervals(
    X: Float[np.ndarray, "b g g"], N: Float[np.ndarray, "g g"], level: float
) -> tuple[Float[np.ndarray, " b"], Float[np.ndarray, " b"], Float[np.ndarray, " b"]]:
    """Means of the diagonals, and both ends of their intervals, for the forms of b matrices.

    Args:
        X: Products of the probes with A and each other, scaled so that a diagonal entry is the
            trace on average.
        N: Inner products of the probes, with ones on the diagonal.
        level: Of each interval.

    Example:
        >>> z = np.array([1.0, 2.0, 2.0])  # the probes' products with the vector of a rank-one A
        >>> X, N = np.outer(z, z)[None], np.eye(3)
        >>> [round(float(v[0]), 2) for v in trace_intervals(X, N, 0.95)]
        [3.0, -1.3, 53.76]
    """
    check_level(level)
    g, tail = len(N), (1 - level) / 2
    draws = X.diagonal(axis1=1, axis2=2)
    mean = draws.mean(1)
    M = X - mean[:, None, None] * N
    size = np.abs(M).max((1, 2))
    U = M / np.where(size > 0, size, 1.0)[:, None, None]  # its powers neither under- nor overflow
    # Scaled such that rank one, where X is a multiple of z z', gives z'z / g and r = 1.
    root = np.sqrt((U * U).sum((1, 2)) / (g * (g - 1)))
    third = ((U @ U) * U).sum((1, 2)) / (g * (g - 1) * max(g - 2, 1))
    r = np.clip(third / np.where(size > 0, root, 1.0) ** 3, -1, 1)
    low_r, high_r = (r, r) if g > 2 else (-np.ones_like(r), np.ones_like(r))  # two cannot tell
    few = stdtrit((g - 1) * (g + 2) / 2, 1 - tail) / ndtri(1 - tail)
    sigma = few * size * root * (2 / g) ** 0.5
    student = stdtrit(g - 1, 1 - tail) * draws.std(1, ddof=1) / g**0.5
    low = mean - np.maximum(student, sigma * skewed_quantile(low_r * (8 / g) ** 0.5, 1 - tail))
    high = mean + np.maximum(student, -sigma * skewed_quantile(high_r * (8 / g) ** 0.5, tail))
    return mean, low, high
