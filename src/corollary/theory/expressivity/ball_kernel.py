r"""The band-limited kernel whose transform is the indicator of a ball.

.. math:: \hat\varphi = \mathbb 1\{R\,\mathbb B^n\}, \qquad
          \varphi(x) = \Big(\frac{R}{\|x\|}\Big)^{n/2} J_{n/2}(2\pi R\|x\|), \qquad
          \int\varphi^2 = R^n V_n .

So :math:`\varphi^2` is a probability density if and only if the ball has volume one.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.2 and Figure 4.5; Eldan and Shamir
    (2016), "The power of depth for feedforward neural networks"; Stein and Weiss (1971),
    Introduction to Fourier analysis on Euclidean spaces, Theorem IV.3.3.
:covers: ball-bandlimited-density
:erratum: [loose] The proof idea takes the indicator of the *unit* ball while the square of the
    kernel is to be a density; then the integral is V_n, for n = 3 it is 4.19 and not 1. The radius
    must give unit volume (n = 3: 0.62). The caption of Figure 4.5 calls the kernel a rescaled sinc
    of the norm: true for n = 1; in general it is the Bessel kernel, for n = 3 proportional to
    (sin k - k cos k)/k^3, and its first zero is at k = 4.49, not at pi.
"""

import math

import numpy as np
import torch
from jaxtyping import Float
from scipy.special import gammaln, jv
from torch import Tensor

from corollary.errors import InputError

PANEL, NODES = math.pi, 12  # of the quadrature: half a wave of the square, Gauss points on it


def ball_volume(n: int) -> float:
    r"""The volume :math:`V_n = \pi^{n/2}/\Gamma(n/2 + 1)` of the unit ball.

    Example:
        >>> [round(ball_volume(n) / math.pi, 9) for n in (2, 3)]  # pi and 4 pi / 3
        [1.0, 1.333333333]
    """
    if n < 0:
        raise InputError(f"the dimension must not be negative, got n={n}")
    return math.exp(n / 2 * math.log(math.pi) - float(gammaln(n / 2 + 1)))


def unit_volume_radius(n: int) -> float:
    """Radius of the ball with volume one; it grows like the root of n.

    Example:
        >>> round(unit_volume_radius(1), 9), round(unit_volume_radius(3), 3)
        (0.5, 0.62)
    """
    _check(n, 1.0)
    R: float = ball_volume(n) ** (-1 / n)
    return R


def ball_kernel(
    norm: Float[Tensor, "*k"], n: int, R: float | int | None = None
) -> Float[Tensor, "*k"]:
    r"""The kernel at points of these norms; R is :func:`unit_volume_radius` if not given.

    At the origin it is the volume of the ball. For n = 1: :math:`\sin(2\pi Rx)/(\pi x)`.

    Example:
        >>> x = torch.tensor([0.0, 0.5, 1.0], dtype=torch.float64)
        >>> [round(v, 9) + 0.0 for v in ball_kernel(x, 1).tolist()]  # sin(pi x) / (pi x)
        [1.0, 0.636619772, 0.0]
    """
    R = unit_volume_radius(n) if R is None else R
    _check(n, R)
    r = norm.detach().cpu().double().numpy()
    safe = np.where(r <= 0, 1.0, r)
    bessel = (R / safe) ** (n / 2) * jv(n / 2, 2 * math.pi * R * safe)
    # Below this the two factors overflow and underflow; the kernel is flat there.
    near = 2 * math.pi * R * r < 1e-6
    values = np.where(near, R**n * ball_volume(n), bessel)
    return torch.as_tensor(values, dtype=norm.dtype, device=norm.device)


def kernel_mass(n: int, reach: float | int, R: float | int | None = None) -> float:
    r"""The integral of :math:`\varphi^2` over the ball of radius ``reach``, by Gauss' rule.

    .. math:: n\,V_n R^n \int_0^{2\pi R\,\mathrm{reach}} J_{n/2}(t)^2\,\frac{dt}{t}
              = R^n V_n - O(1/\mathrm{reach})

    Example:
        >>> round(kernel_mass(1, 0.5), 6)  # of (sin(pi x) / (pi x))^2 between -1/2 and 1/2
        0.773695
    """
    R = unit_volume_radius(n) if R is None else R
    _check(n, R)
    end = 2 * math.pi * R * reach
    panels = max(4, math.ceil(end / PANEL))
    u, w = np.polynomial.legendre.leggauss(NODES)
    edges = np.linspace(0.0, end, panels + 1)
    half = np.diff(edges)[:, None] / 2
    t = edges[:-1, None] + half * (1 + u)
    return float(n * ball_volume(n) * R**n * (half * w * jv(n / 2, t) ** 2 / t).sum())


def _check(n: int, R: float | int) -> None:
    if n < 1 or not 0 < R < math.inf:
        raise InputError(f"n >= 1 and R > 0 are needed, got n={n}, R={R:g}")
