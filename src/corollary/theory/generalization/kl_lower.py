r"""The lower inverse of the divergence of coins, rounded so that it is a lower bound.

.. math:: \underline p(q,c)=\min\{p:\mathrm{kl}(q\|p)\le c\},\qquad
    \mathrm{kl}(q\|p)=q\,h\Bigl(\frac{p-q}q\Bigr)+(1-q)\,h\Bigl(\frac{q-p}{1-q}\Bigr),\quad
    h(t)=t-\ln(1+t)\ge0 .

This form subtracts nothing that is nearly equal: with :math:`s=t/(2+t)`, h is
:math:`ts-2(s^3/3+s^5/5+\dots)`. So :math:`\mathrm{kl}` is known to a relative error ``ERROR``, and
a p is returned only if its divergence, less that error, is at least c.

:source: Langford (2005), "Tutorial on practical prediction theory for classification", Section 3,
    for the inverse; Maurer (2004), "A note on the PAC-Bayesian theorem", for its use on both sides.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError

Number = float | int | Tensor
ERROR = 2.0**-48  # relative, of the divergence: 16 units in the last place; 3 were seen
NEWTON = 100  # rounds; some ten are enough
TERMS = 18  # of the series of h, where |s| <= 1/3: the next one is below 1e-18
SMALL = 1e-290  # of q, where products leave the range of normal numbers


def kl_inverse_lower(q: Number, c: Number) -> Any:
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
    numbers = not isinstance(q, Tensor) and not isinstance(c, Tensor)
    a = torch.as_tensor(q, dtype=torch.float64)
    limit = torch.as_tensor(c, dtype=torch.float64, device=a.device)
    if not bool(((a >= 0) & (a <= 1)).all()) or not bool((limit >= 0).all()):
        raise InputError("expected q in [0, 1] and c >= 0, got another value or NaN")
    a, limit = torch.broadcast_tensors(a, limit)
    found = torch.where(limit == 0, a, torch.zeros_like(a))
    inside = (limit > 0) & (limit < torch.inf) & (a > SMALL)
    found[inside] = _verified(a[inside], limit[inside])
    return found.item() if numbers else found


def _verified(q: Tensor, c: Tensor) -> Tensor:
    """A p below the answer whose divergence is at least c beyond doubt, or 0."""
    p = _newton(q, c * (1 + 2 * ERROR))
    for k in range(54):
        doubtful = (p > 0) & ~(_divergence(q, p) * (1 - ERROR) >= c)
        if not bool(doubtful.any()):
            break
        p = torch.where(doubtful, p * (1 - 2.0 ** (k - 53)), p)
    return p


def _newton(q: Tensor, c: Tensor) -> Tensor:
    # three bounds on the answer from below: (q - p)² / (2q), 2 (q - p)² and q ln(q/p) + (1 - q)
    # ln(1 - q) are at most the divergence
    entropy = torch.special.xlog1py(1 - q, -q)
    starts = q - (2 * q * c).sqrt(), q - (c / 2).sqrt(), q * ((entropy - c) / q).exp()
    p = torch.stack(starts).amax(0)
    for _ in range(NEWTON):
        excess = torch.where((p > 0) & (p < q), _divergence(q, p) - c, 0.0)
        step = excess * (1 - p) / (q - p).clamp_min(torch.finfo(p.dtype).tiny)
        moved = (p * step.exp()).minimum(q)
        if bool((moved <= p).all()):
            break
        p = torch.maximum(p, moved)
    return p


def _divergence(q: Float[Tensor, " n"], p: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Of coins with 0 < p <= q, to a relative error of ``ERROR``."""
    gap, rest = q - p, 1 - q
    low = torch.where(
        2 * p < q, q * (q / p).log() - gap, q * _small_h(-gap / q, -gap / (p + q))
    )  # both forms of q h((p - q) / q)
    t = gap / rest.clamp_min(torch.finfo(q.dtype).tiny)
    s = gap / (rest + (1 - p))
    high = torch.where(t > 1, gap - rest * torch.log1p(t), rest * _small_h(t, s))
    return low + torch.where(rest > 0, high, gap)


def _small_h(t: Tensor, s: Tensor) -> Tensor:
    """H of t, by powers of s = t / (2 + t) of size up to 1/3."""
    square, total = s.square(), torch.zeros_like(s)
    for k in range(TERMS, 0, -1):
        total = square * (1 / (2 * k + 1) + total)
    return t * s - 2 * s * total
