r"""Barron's constant: how much a function oscillates, in all directions together.

.. math:: C_f=\int_{\mathbb{R}^d}\|w\|\,|\hat f(w)|\,dw,\qquad\Gamma_C=\{f:C_f\le C\}

A finite :math:`C_f` makes the gradient's transform integrable, so f is continuously differentiable:
functions with kinks or jumps have :math:`C_f=\infty`. In the angular convention the constant is
:math:`2\pi` times as large (:mod:`corollary.theory.approximation.fourier`), and with it

.. math:: \int_{B_r}(f-f_n)^2d\mu\le\frac{(2rC)^2}{n}

for a network with n sigmoidal units and every probability :math:`\mu` on the ball of radius r.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.1; Mathematical Foundations of Deep
    Learning (slides), Barron's Theorem; Barron (1993), Universal approximation bounds for
    superpositions of a sigmoidal function, Theorem 1.
:covers: barron-constant
:erratum: [possible OCR artefact] The slide shows C_f as the integral of fhat(w)|w|, without a
    modulus on the complex-valued fhat. For f(x) = x exp(-x^2) fhat is imaginary and odd: the
    integral as shown is 0, while C_f = 1/(2 pi) = 0.159.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.approximation.distance import quadrature
from corollary.theory.approximation.fourier import Convention
from corollary.theory.seeding import as_generator

SHELLS = 12  # cut-offs double, so the last one is 4096 times the first
SETTLED = 1e-10  # a shell below this part of the sum ends the integration


class Constant(NamedTuple):
    """Barron's constant as far as it was integrated."""

    value: float  # infinite if the partial integrals keep growing
    cutoffs: tuple[float, ...]
    partial: tuple[float, ...]  # integrals up to each cut-off

    @property
    def finite(self) -> bool:
        """Whether the partial integrals settle."""
        return math.isfinite(self.value)


def barron_constant(
    fhat: Callable[[Tensor], Tensor],
    d: int = 1,
    *,
    convention: Convention = "ordinary",
    cutoff: float = 1.0,
    directions: int = 256,
    rng: int | Generator = 0,
) -> Constant:
    r"""Integrate :math:`\|w\||\hat f(w)|` over growing balls, and notice if that does not end.

    One dimension: Gauss rules on both half lines. More: the same along ``directions`` drawn rays
    (Monte Carlo over the sphere, exact for a radial :math:`|\hat f|`). The cut-off doubles until a
    shell adds nothing; if the shells stop shrinking, the value is infinite.

    Args:
        fhat: Takes frequencies (n, d) to the n values of the ordinary transform.
        d: Dimension.
        convention: Of the constant that is returned: angular is 2 pi times ordinary.
        cutoff: First radius; take the scale of the frequencies.
        directions: Number of rays, if d > 1.
        rng: Seed or generator of the rays, if d > 1.

    Example:
        >>> bump = lambda w: torch.exp(-math.pi * w[:, 0] ** 2)
        >>> round(barron_constant(bump).value * math.pi, 9)
        1.0
        >>> barron_constant(lambda w: torch.sinc(w[:, 0])).value  # of a box: it jumps
        inf
    """
    if d < 1 or not 0 < cutoff < math.inf or directions < 1:
        raise InputError(
            f"d, cutoff and directions must be positive, got d={d}, cutoff={cutoff:g}, "
            f"directions={directions}"
        )
    rays = _rays(d, directions, rng)
    factor = 2 * math.pi if convention == "angular" else 1.0
    area = 2 * math.pi ** (d / 2) / math.gamma(d / 2)
    shells: list[float] = []
    cutoffs: list[float] = []
    for j in range(SHELLS + 1):
        ends = (0.0, cutoff) if j == 0 else (cutoff * 2 ** (j - 1), cutoff * 2**j)
        radius, weight = quadrature([ends], max(16, 2 ** (j + 3)) if d == 1 else 32)
        points = (radius * rays[:, None, :]).reshape(-1, d)
        values = fhat(points).abs().reshape(len(rays), -1)
        shells.append(factor * area * float((values * radius[:, 0] ** d * weight).sum(1).mean()))
        cutoffs.append(ends[1])
        if math.isnan(shells[-1]):
            raise InputError(f"fhat gives NaN for frequencies from {ends[0]:g} to {ends[1]:g}")
        if j > 2 and shells[-1] <= SETTLED * sum(shells):
            break
    partial = tuple(torch.tensor(shells, dtype=torch.float64).cumsum(0).tolist())
    # The last shells of a convergent integral shrink at least as fast as a power of the cut-off.
    converges = len(shells) <= SHELLS or shells[-1] < 0.75 * shells[-3]
    return Constant(partial[-1] if converges else math.inf, tuple(cutoffs), partial)


def gaussian_constant(
    d: int, sigma: float, *, exact: bool = True, convention: Convention = "ordinary"
) -> float:
    r"""Barron's constant of the density of :math:`N(0,\sigma^2I_d)`, or its simple upper bound.

    With :math:`Z=(2\pi\sigma^2)^{-d/2}` and :math:`w\sim N(0,I/(4\pi^2\sigma^2))`

    .. math:: C_f=Z\,\mathbb{E}\|w\|=\frac{Z}{2\pi\sigma}
       \frac{\sqrt2\,\Gamma(\frac{d+1}2)}{\Gamma(\frac d2)}\le\frac{Z\sqrt d}{2\pi\sigma} .

    It dies out exponentially in d if :math:`2\pi\sigma^2>1` and explodes if it is less.

    Example:
        >>> round(gaussian_constant(1, 0.4, convention="angular") , 4)
        1.9894
        >>> [round(gaussian_constant(1, 0.4, exact=e), 4) for e in (True, False)]
        [0.3166, 0.3968]

    :source: Lucchi (2025), Foundations of Deep Learning, Section 4.4, Problem 1.
    :covers: barron-gaussian
    :test: tests/theory/approximation/test_barron.py
    :erratum: [possible OCR artefact] The density in Problem 1 is shown with the prefactor
        (2 pi sigma^2)^{d/2}; the exponent must be -d/2, as in the Z of the same problem. With +d/2
        fhat(0) is (2 pi sigma^2)^d, 6.28 for sigma = 1 and d = 1, against the given 1.
    """
    if d < 1 or not 0 < sigma < math.inf:
        raise InputError(f"d >= 1 and sigma > 0 are needed, got d={d}, sigma={sigma:g}")
    mean = math.sqrt(2) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))
    length = mean if exact else math.sqrt(d)
    factor = 1.0 if convention == "angular" else 1 / (2 * math.pi)
    return math.exp(-d / 2 * math.log(2 * math.pi * sigma**2)) * factor * length / sigma


def barron_bound(C: float, r: float, n: int, *, convention: Convention = "ordinary") -> float:
    r"""The squared error that n units are sure to reach: :math:`(2rC)^2/n`, angular :math:`C`.

    Example:
        >>> barron_bound(1.0, 1.0, 4, convention="angular")
        1.0
        >>> round(barron_bound(1.0, 1.0, 4) / math.pi**2, 12)  # (4 pi)^2 / 4
        4.0
    """
    if not (0 <= C < math.inf and 0 < r < math.inf and n >= 1):
        raise InputError(f"expected finite C >= 0, r > 0 and n >= 1, got {C=}, {r=}, {n=}")
    angular = C if convention == "angular" else 2 * math.pi * C
    return (2 * r * angular) ** 2 / n


def _rays(d: int, directions: int, rng: int | Generator) -> Float[Tensor, "k d"]:
    if d == 1:
        return torch.tensor([[1.0], [-1.0]], dtype=torch.float64)
    u = torch.randn(directions, d, generator=as_generator(rng), dtype=torch.float64)
    rays: Tensor = u / u.norm(dim=1, keepdim=True)
    return rays
