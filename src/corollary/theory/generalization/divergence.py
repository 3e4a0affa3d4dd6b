r"""Relative entropy of normal laws and of coins, and its inverse.

.. math:: \mathrm{KL}(P\|Q)=\int\ln\frac{dP}{dQ}\,dP\ge0,\qquad
   \mathrm{kl}(q\|p)=q\ln\frac qp+(1-q)\ln\frac{1-q}{1-p}\ge2(q-p)^2,

zero iff the laws are equal, not symmetric, infinite unless :math:`P\ll Q`. Probability vectors:
:func:`corollary.theory.networks.information.kl`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 9.1, (9.1)-(9.2); Kullback and Leibler
    (1951), "On information and sufficiency"; Langford and Seeger (2001), "Bounds for averaging
    classifiers".
:covers: kl-divergence
"""

import math
from typing import overload

import numpy as np
import torch
from jaxtyping import Float
from scipy.special import xlogy
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.networks.information import kl as kl_discrete

__all__ = [
    "kl_bernoulli",
    "kl_discrete",
    "kl_gaussian",
    "kl_gaussian_full",
    "kl_inverse",
    "kl_inverse_grad",
]

Number = float | int | Tensor


def kl_gaussian(
    mean_p: Float[Tensor, "*n d"],
    var_p: Float[Tensor, "*n d"],
    mean_q: Float[Tensor, "*n d"],
    var_q: Float[Tensor, "*n d"],
) -> Float[Tensor, "*n"]:
    r"""The divergence of :math:`N(\mu,\mathrm{diag}\,s)` from another such law, rows at once.

    Example:
        >>> z, one = torch.zeros(1), torch.ones(1)
        >>> kl_gaussian(2 * one, one, z, one).item()  # half the squared distance
        2.0
    """
    for name, variance in (("var_p", var_p), ("var_q", var_q)):
        if not bool((variance > 0).all()):
            raise InputError(f"the variances {name} must be positive, got at least one that is not")
    ratio = var_p / var_q
    return (ratio - 1 - ratio.log() + (mean_p - mean_q).square() / var_q).sum(-1) / 2


def kl_gaussian_full(
    mean_p: Float[Tensor, "*n d"],
    cov_p: Float[Tensor, "*n d d"],
    mean_q: Float[Tensor, "*n d"],
    cov_q: Float[Tensor, "*n d d"],
) -> Float[Tensor, "*n"]:
    r"""The divergence of :math:`N(\mu_p,\Sigma_p)` from :math:`N(\mu_q,\Sigma_q)`, rows at once.

    With Cholesky factors :math:`\Sigma=LL^\top` and the triangular :math:`M=L_q^{-1}L_p`

    .. math:: \mathrm{KL}=\frac12\Bigl[\sum_{i>j}M_{ij}^2+\sum_i(M_{ii}^2-1-\ln M_{ii}^2)
        +\|L_q^{-1}(\mu_p-\mu_q)\|^2\Bigr],

    a sum of terms none of which is negative. Cost: :math:`O(d^3)`.

    Example:
        >>> z, eye = torch.zeros(2), torch.eye(2)
        >>> cov = torch.tensor([[2.0, 1.0], [1.0, 2.0]])
        >>> round(kl_gaussian_full(z, cov, z, eye).item(), 6)  # (tr - d - ln det) / 2
        0.450694
        >>> round((4 - 2 - math.log(3)) / 2, 6)
        0.450694
    """
    L_p, L_q = _root("cov_p", cov_p), _root("cov_q", cov_q)
    M: Tensor = torch.linalg.solve_triangular(L_q, L_p, upper=False)
    moved: Tensor = torch.linalg.solve_triangular(L_q, (mean_p - mean_q)[..., None], upper=False)
    scale = M.diagonal(dim1=-2, dim2=-1).square()
    mixed = M.tril(-1).square().sum((-2, -1))
    return (mixed + (scale - 1 - scale.log()).sum(-1) + moved.square().sum((-2, -1))) / 2


def _root(name: str, cov: Tensor) -> Tensor:
    """The Cholesky factor of a covariance."""
    if not bool(torch.isfinite(cov).all()) or not torch.allclose(cov, cov.mT):
        raise InputError(f"expected {name} to be a symmetric matrix of finite numbers")
    L, failed = torch.linalg.cholesky_ex(cov)
    if bool((failed > 0).any()):
        raise InputError(
            f"expected {name} to be positive definite, got an eigenvalue at or below 0 (up to "
            "rounding); add a small multiple of the identity"
        )
    factor: Tensor = L
    return factor


@overload
def kl_bernoulli(q: float, p: float) -> float: ...
@overload
def kl_bernoulli(q: Tensor, p: Number) -> Tensor: ...
@overload
def kl_bernoulli(q: Number, p: Tensor) -> Tensor: ...
def kl_bernoulli(q: Number, p: Number) -> float | Tensor:
    r"""The divergence :math:`\mathrm{kl}(q\|p)` of a coin q from a coin p; numbers or tensors.

    Example:
        >>> round(kl_bernoulli(0.0, 0.5), 12) == round(math.log(2), 12)
        True
        >>> kl_bernoulli(0.5, 0.0)
        inf
    """
    a, b = _probability("q", q), _probability("p", p)
    value = torch.xlogy(a, a) - torch.xlogy(a, b) + torch.xlogy(1 - a, 1 - a)
    value = (value - torch.xlogy(1 - a, 1 - b)).clamp(min=0)  # rounding near q = p
    return value if isinstance(q, Tensor) or isinstance(p, Tensor) else value.item()


@overload
def kl_inverse(q: float, c: float) -> float: ...
@overload
def kl_inverse(q: Tensor, c: Number) -> Tensor: ...
@overload
def kl_inverse(q: Number, c: Tensor) -> Tensor: ...
def kl_inverse(q: Number, c: Number) -> float | Tensor:
    r"""The largest p with :math:`\mathrm{kl}(q\|p)\le c`, rounded up; numbers or tensors.

    Newton's method for :math:`d=p-q`. With :math:`h(x)=x-\ln(1+x)` the divergence is

    .. math:: \mathrm{kl}(q\|q+d)=q\,h(d/q)+(1-q)\,h(-d/(1-q)),

    a sum of positive terms and convex in d, so that the rounds go down to the root from Pinsker's
    :math:`\sqrt{c/2}`. The d found is off by a few units in the last place, and is made larger by
    1e-14 of itself: what is returned is never below the true value.

    Example:
        >>> round(kl_inverse(0.0, math.log(2)), 12)  # 1 - exp(-c)
        0.5
        >>> kl_inverse(0.1, 0.0)
        0.1

    :source: Dziugaite and Roy (2017), "Computing nonvacuous generalization bounds", Section 2.2.
    """
    given = [torch.as_tensor(v, dtype=torch.float64).detach().cpu() for v in (q, c)]
    shape = torch.broadcast_shapes(*(t.shape for t in given))
    a, limit = (t.expand(shape).flatten().numpy() for t in given)
    if not ((a >= 0) & (a <= 1)).all() or not (limit >= 0).all():
        raise InputError(f"kl_inverse needs q in [0, 1] and c >= 0, got q = {q} and c = {c}")
    with np.errstate(all="ignore"):  # ends are set below
        p = np.nextafter(a + (1 + 1e-14) * _gap(a, limit), 2.0)
    p = np.where(limit == 0, a, np.where(p < 1, p, 1.0))  # NaN where p rounds to 1
    devices = [v.device for v in (q, c) if isinstance(v, Tensor)]
    return torch.from_numpy(p).view(shape).to(devices[0]) if devices else float(p[0])


def _gap(q: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The root d of kl(q, q + d) = c; not a number where q + d rounds to 1."""
    room = 1 - q
    entropy = -xlogy(q, q) - xlogy(room, room)
    # Two bounds on d from above: kl >= 2 d^2, and kl >= -entropy - (1 - q) ln(1 - p).
    d: np.ndarray = np.minimum(np.sqrt(c / 2), -np.expm1(-(c + entropy) / room) - q)
    for _ in range(60):
        head = np.where(q > 0, q * log_excess(d / np.where(q > 0, q, 1)), d)
        step = (head + room * log_excess(-d / room) - c) * (q + d) * (room - d) / d
        d = d - step
        if not (np.abs(step) > 1e-15 * d).any():
            break
    return d


def log_excess(x: np.ndarray) -> np.ndarray:
    """``x - ln(1 + x)`` without cancellation: ln(1 + x) = 2 artanh(r), r = x / (2 + x).

    Example:
        >>> f"{log_excess(np.array(1e-9)):.6e}"  # x² / 2
        '5.000000e-19'
    """
    r = x / (2 + x)
    series = x * r - 2 * r**3 * np.polynomial.polynomial.polyval(r * r, ARTANH)
    value: np.ndarray = np.where(np.abs(x) < 0.2, series, x - np.log1p(x))
    return value


ARTANH = 1 / np.arange(3.0, 21.0, 2.0)  # nine terms: 1e-19 of the whole at |x| = 0.2


def kl_inverse_grad(q: float | int, c: float | int) -> tuple[float, float, float]:
    r""":math:`p=\mathrm{kl}^{-1}(q,c)` with its derivatives in q and c, for training on it.

    .. math:: \frac{\partial p}{\partial c}=\frac{p(1-p)}{p-q},\qquad
        \frac{\partial p}{\partial q}
        =\Bigl(\ln\frac{1-q}{1-p}-\ln\frac qp\Bigr)\frac{p(1-p)}{p-q}.

    Example:
        >>> p, in_q, in_c = kl_inverse_grad(0.1, 0.2)
        >>> h = 1e-6
        >>> abs((kl_inverse(0.1, 0.2 + h) - p) / h - in_c) < 1e-4
        True
    """
    p = kl_inverse(q, c)
    inner = min(max(p, 1e-12), 1 - 1e-12)  # the derivatives at the ends are limits
    a = min(max(q, 1e-12), 1 - 1e-12)
    in_c = inner * (1 - inner) / max(inner - a, 1e-12)
    in_q = (math.log((1 - a) / (1 - inner)) - math.log(a / inner)) * in_c
    return p, in_q, in_c


def _probability(name: str, value: Number) -> Tensor:
    t = value if isinstance(value, Tensor) else torch.tensor(value, dtype=torch.float64)
    if not bool(((t >= 0) & (t <= 1)).all()):
        raise InputError(f"{name} must lie in [0, 1], got a value outside or NaN")
    return t
