r"""The lower inverse of the divergence of coins, rounded so that it is a lower bound.

.. math:: \underline p(q,c)=\min\{p:\mathrm{kl}(q\|p)\le c\},\qquad
    \mathrm{kl}(q\|p)=q\,h\Bigl(\frac{p-q}q\Bigr)+(1-q)\,h\Bigl(\frac{q-p}{1-q}\Bigr),\quad
    h(t)=t-\ln(1+t)\ge0 .

Neither term is negative, so nothing cancels, and the divergence of two doubles is known to a
relative error ``ERROR``. A p is returned only if its divergence, less that error, is at least c.

:source: Langford (2005), "Tutorial on practical prediction theory for classification", Section 3,
    for the inverse; Maurer (2004), "A note on the PAC-Bayesian theorem", for its use on both sides.
"""

from typing import overload

import numpy as np
import torch
from jaxtyping import Float
from scipy.special import xlog1py
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.generalization.divergence import Number, log_excess

ERROR = 2.0**-48  # relative, of the divergence: 16 units in the last place; 5 were seen
NEWTON = 100  # rounds; some ten are enough
SMALL = 1e-290  # of q, where products leave the range of normal numbers


@overload
def kl_inverse_lower(q: float, c: float) -> float: ...
@overload
def kl_inverse_lower(q: Tensor, c: Number) -> Tensor: ...
@overload
def kl_inverse_lower(q: Number, c: Tensor) -> Tensor: ...
def kl_inverse_lower(q: Number, c: Number) -> float | Tensor:
    r"""The smallest p with :math:`\mathrm{kl}(q\|p)\le c`, rounded down; numbers or tensors.

    Newton's method on :math:`\ln p`, in which the divergence is convex, from a point left of the
    answer. Below q = 1e-290 the answer is 0.

    Example:
        >>> import math
        >>> round(kl_inverse_lower(1.0, math.log(2)), 12)  # exp(-c)
        0.5
        >>> kl_inverse_lower(0.1, 0.0), kl_inverse_lower(0.0, 1.0)
        (0.1, 0.0)
    """
    given = [torch.as_tensor(v, dtype=torch.float64).detach().cpu() for v in (q, c)]
    shape = torch.broadcast_shapes(*(t.shape for t in given))
    a, limit = (t.expand(shape).flatten().numpy() for t in given)
    if not ((a >= 0) & (a <= 1)).all() or not (limit >= 0).all():
        raise InputError(f"expected q in [0, 1] and c >= 0, got q = {q} and c = {c}")
    p = np.where(limit == 0, a, 0.0)
    inside = (limit > 0) & (limit < np.inf) & (a > SMALL)
    p[inside] = _verified(a[inside], limit[inside])
    devices = [v.device for v in (q, c) if isinstance(v, Tensor)]
    return torch.from_numpy(p).view(shape).to(devices[0]) if devices else float(p[0])


def _verified(q: np.ndarray, c: np.ndarray) -> np.ndarray:
    """A p below the answer whose divergence is at least c beyond doubt, or 0."""
    p = _newton(q, c * (1 + 2 * ERROR))
    for k in range(54):
        doubtful = (p > 0) & ~(lower_divergence(q, p) * (1 - ERROR) >= c)
        if not doubtful.any():
            break
        p = np.where(doubtful, p * (1 - 2.0 ** (k - 53)), p)
    return p


def _newton(q: np.ndarray, c: np.ndarray) -> np.ndarray:
    # Three bounds on the answer from below: (q - p)² / (2q), 2 (q - p)² and q ln(q/p) + (1 - q)
    # ln(1 - q) are at most the divergence.
    with np.errstate(over="ignore"):  # c / q may be infinite
        last = q * np.exp((xlog1py(1 - q, -q) - c) / q)
    p: np.ndarray = np.maximum(q - np.minimum(np.sqrt(2 * q * c), np.sqrt(c / 2)), last)
    for _ in range(NEWTON):
        excess = np.where((p > 0) & (p < q), lower_divergence(q, p) - c, 0.0)
        step = excess * (1 - p) / np.where(p < q, q - p, 1.0)
        moved = np.minimum(p * np.exp(step), q)
        if not (moved > p).any():
            break
        p = np.maximum(p, moved)
    return p


def lower_divergence(q: Float[np.ndarray, " n"], p: Float[np.ndarray, " n"]) -> np.ndarray:
    """Of coins with 0 < p <= q, to a relative error of ``ERROR``.

    Example:
        >>> float(lower_divergence(np.array([1.0]), np.array([1 / np.e]))[0])  # ln(q / p)
        1.0
    """
    gap, rest = q - p, 1 - q
    # of small p / q the logarithm of 1 + (p - q) / q has no digits
    with np.errstate(all="ignore"):  # in branches that are not taken
        low = np.where(2 * p < q, q * np.log(q / p) - gap, q * log_excess(-gap / q))
        high = np.where(rest > 0, rest * log_excess(gap / rest), gap)
    total: np.ndarray = low + high
    return total
