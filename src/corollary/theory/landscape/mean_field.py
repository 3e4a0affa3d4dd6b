r"""Mean-field theory of signals at a random start: what to expect before anything is measured.

In a wide layer with independent centred weights of variance :math:`\sigma_w^2/d` and biases of
variance :math:`\sigma_b^2`, pre-activations are normal, and their variance and the squared length
of the derivative go from layer to layer as

.. math:: q^{l+1}=\sigma_w^2\,\mathbb E\,\phi(\sqrt{q^l}z)^2+\sigma_b^2,\qquad
    g^l=\chi\,g^{l+1},\quad \chi=\sigma_w^2\,\mathbb E\,\phi'(\sqrt{q^l}z)^2,\quad z\sim N(0,1).

Gradients vanish for :math:`\chi<1` and explode for :math:`\chi>1`, by a factor e in
:math:`1/|\log\chi|` layers.

:source: Poole, Lahiri, Raghu, Sohl-Dickstein and Ganguli (2016), "Exponential expressivity in deep
    neural networks through transient chaos"; Schoenholz, Gilmer, Ganguli and Sohl-Dickstein (2017),
    "Deep information propagation", Eqs. 3 and 8; for linear networks Lucchi (2025), Foundations of
    Deep Learning, Section 6.2, Corollary 49.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError

Scalar = Callable[[Tensor], Tensor]


class Critical(NamedTuple):
    """Variances of weights (times the fan-in) and biases at which a variance stays, with chi 1."""

    sigma_w2: float
    sigma_b2: float


def gaussian_mean(f: Scalar, q: float) -> float:
    r"""The mean :math:`\mathbb E f(\sqrt qz)` of a standard normal :math:`z`.

    Gauss-Legendre on twelve deviations either side of 0, in pieces that end at 0: where activations
    have their kinks, which would cost Gauss-Hermite nodes most of their digits. Exact to rounding
    for functions that are smooth on both sides and grow at most polynomially.

    Example:
        >>> round(gaussian_mean(lambda z: torch.relu(z) ** 2, 3.0), 9)  # half the variance
        1.5
    """
    if not 0 <= q < math.inf:
        raise InputError(f"expected a variance q >= 0, got {q}")
    z, weight = _nodes()
    return float((weight * f(q**0.5 * z)).sum())


def second_moment(phi: Scalar, q: float) -> float:
    r"""The mean :math:`\mathbb E\,\phi(\sqrt qz)^2`.

    Example:
        >>> round(second_moment(torch.relu, 1.0), 9)
        0.5
    """
    return gaussian_mean(lambda z: phi(z).square(), q)


def squared_slope(phi: Scalar, q: float) -> float:
    r"""The mean :math:`\mathbb E\,\phi'(\sqrt qz)^2`, the slope taken by autograd.

    Example:
        >>> round(squared_slope(torch.relu, 1.0), 9)
        0.5
    """

    def slope(z: Tensor) -> Tensor:
        with torch.enable_grad():
            z = z.detach().requires_grad_()
            value = phi(z.clone()).sum()  # a copy: some modules work in place
            if not value.requires_grad:
                return torch.zeros_like(z)
            return torch.autograd.grad(value, z)[0].detach()

    return gaussian_mean(lambda z: slope(z).square(), q)


def variances(
    phi: Scalar, q: float, depth: int, sigma_w2: float, sigma_b2: float = 0.0
) -> Float[Tensor, " layers"]:
    r"""The variances :math:`q^1=q,\dots,q^{\text{depth}}` of the pre-activations.

    Example:
        >>> variances(torch.relu, 1.0, 4, 2.0).round(decimals=9).tolist()  # He's variance keeps it
        [1.0, 1.0, 1.0, 1.0]
    """
    if depth < 1 or sigma_w2 < 0 or sigma_b2 < 0:
        raise InputError(
            f"depth >= 1 and variances >= 0 are needed, got depth={depth}, "
            f"sigma_w2={sigma_w2}, sigma_b2={sigma_b2}"
        )
    found = [q]
    for _ in range(depth - 1):
        found.append(sigma_w2 * second_moment(phi, found[-1]) + sigma_b2)
    return torch.tensor(found, dtype=torch.float64)


def gradient_factor(phi: Scalar, q: float, sigma_w2: float) -> float:
    r"""The factor :math:`\chi` of the derivative's squared length, one layer back.

    Example:
        >>> round(gradient_factor(torch.relu, 1.0, 2.0), 9)  # He's variance keeps gradients
        1.0
    """
    return sigma_w2 * squared_slope(phi, q)


def critical_start(phi: Scalar, q: float) -> Critical:
    r"""Where :math:`\chi=1` and the variance :math:`q` stays: the edge of chaos.

    .. math:: \sigma_w^2=1/\mathbb E\,\phi'(\sqrt qz)^2,\qquad
        \sigma_b^2=q-\sigma_w^2\,\mathbb E\,\phi(\sqrt qz)^2

    Raises:
        InputError: if no :math:`\sigma_b^2\ge0` does it, or the slope is 0 everywhere.

    Example:
        >>> [round(v, 9) for v in critical_start(torch.relu, 1.0)]
        [2.0, 0.0]
        >>> [round(v, 4) for v in critical_start(torch.tanh, 1.0)]
        [2.1533, 0.151]
    """
    slope = squared_slope(phi, q)
    if not slope > 0:
        raise InputError("phi must have a nonzero slope, but phi is flat almost everywhere")
    sigma_w2 = 1 / slope
    sigma_b2 = q - sigma_w2 * second_moment(phi, q)
    if abs(sigma_b2) <= 1e-12 * q:  # homogeneous activations: rounding
        sigma_b2 = 0.0
    if sigma_b2 < 0:
        raise InputError(
            f"no bias variance keeps the variance {q:g}: the bias would need "
            f"variance {sigma_b2:.3g}"
        )
    return Critical(sigma_w2, sigma_b2)


def depth_scale(chi: float) -> float:
    r"""Layers over which gradients change by a factor e: :math:`1/|\log\chi|`.

    Example:
        >>> depth_scale(1.0), round(depth_scale(0.5), 4)
        (inf, 1.4427)
    """
    if not chi > 0:
        raise InputError(f"chi must be positive, got {chi}")
    return math.inf if chi == 1 else 1 / abs(math.log(chi))


@lru_cache(maxsize=1)
def _nodes() -> tuple[Tensor, Tensor]:
    """Nodes and weights for the standard normal law: eight pieces of 48 on each side of 0."""
    t, w = np.polynomial.legendre.leggauss(48)
    edges = np.linspace(-12.0, 12.0, 17)
    half = (edges[1:] - edges[:-1])[:, None] / 2
    z = edges[:-1, None] + half * (1 + t)
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    weight = half * w * density
    return torch.from_numpy(z.ravel()), torch.from_numpy((weight / weight.sum()).ravel())
