r"""Exact limits of a probability, from hits among independent trials.

With probability at least :math:`1-\alpha` the p that gave k hits in n trials is above

.. math:: \max\{p:\ \Pr[\mathrm{Bin}(n,p)\ge k]\le\alpha\}=I^{-1}_\alpha(k,\,n-k+1),

the quantile of a beta law, and likewise below the upper limit; both together hold with
:math:`1-2\alpha`. No normal approximation is made, so they hold for every n and p.

:source: Clopper and Pearson (1934), "The use of confidence or fiducial limits illustrated in the
    case of the binomial".
"""

import numpy as np
from scipy.special import betaincinv

from corollary.errors import InputError


def lower_limit(hits: int | np.ndarray, trials: int, alpha: float) -> np.ndarray:
    """A value below the probability of a hit, with confidence 1 - alpha.

    Example:
        >>> round(float(lower_limit(10, 10, 0.05)), 4)  # 0.05 ** (1 / 10)
        0.7411
    """
    k = _checked(hits, trials, alpha)
    limit = betaincinv(np.maximum(k, 1), trials - k + 1, alpha)
    return np.where(k > 0, limit, 0.0)


def upper_limit(hits: int | np.ndarray, trials: int, alpha: float) -> np.ndarray:
    """A value above the probability of a hit, with confidence 1 - alpha.

    Example:
        >>> round(float(upper_limit(0, 10, 0.05)), 4)  # 1 - 0.05 ** (1 / 10)
        0.2589
    """
    k = _checked(hits, trials, alpha)
    limit = betaincinv(k + 1, np.maximum(trials - k, 1), 1 - alpha)
    return np.where(k < trials, limit, 1.0)


def _checked(hits: int | np.ndarray, trials: int, alpha: float) -> np.ndarray:
    k = np.asarray(hits, dtype=np.float64)
    if not (trials > 0 and 0 < alpha < 1 and bool(((k >= 0) & (k <= trials)).all())):
        raise InputError(
            f"expected 0 <= hits <= trials, trials > 0 and 0 < alpha < 1, got hits {hits}, trials "
            f"{trials} and alpha {alpha}"
        )
    return k
