r"""Separable points whose max-margin vector is known in closed form.

Along a random unit vector u the support vectors :math:`z_i=y_ix_i` have the coordinate
:math:`\gamma`, and their parts :math:`c_i` across u satisfy :math:`\sum_ip_ic_i=0` with weights
:math:`p_i>0` of sum 1; all other points have a coordinate of at least :math:`\theta\gamma`. Then

.. math:: \hat w=\frac u\gamma=\sum_i\alpha_iz_i,\qquad\alpha_i=\frac{p_i}{\gamma^2},

are the hard-margin vector and its multipliers, by the KKT conditions.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, Assumption 2 and (11.12).
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.seeding import as_generator


class SupportedCloud(NamedTuple):
    """Labelled points; the first d of them are the support vectors."""

    x: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]  # labels, -1 or +1
    w: Float[Tensor, " d"]  # the max-margin vector w hat
    alpha: Float[Tensor, " n"]  # its multipliers

    @property
    def signed(self) -> Float[Tensor, "n d"]:
        """The points with their labels multiplied in."""
        return self.y[:, None] * self.x


def supported_cloud(
    n: int,
    d: int,
    *,
    gamma: float = 0.5,
    theta: float = 2.0,
    spread: float = 1.0,
    rng: int | Generator = 0,
) -> SupportedCloud:
    r"""Draw n points in d dimensions, d of them support vectors.

    Args:
        n: Points, at least d.
        d: Dimension, at least 1.
        gamma: The margin.
        theta: Every other point has at least this margin in units of gamma.
        spread: How far the points lie across the direction u.
        rng: Source of randomness.

    Example:
        >>> cloud = supported_cloud(9, 2, rng=torch.Generator().manual_seed(0))
        >>> torch.allclose(cloud.signed[:2] @ cloud.w, cloud.y.new_ones(2))
        True
        >>> torch.allclose(cloud.alpha @ cloud.signed, cloud.w)
        True
    """
    rng = as_generator(rng)
    if not (1 <= d <= n and gamma > 0 and theta > 1 and spread > 0):
        raise InputError(
            "a supported cloud needs n >= d >= 1, gamma > 0, theta > 1 and spread > 0, got "
            f"n={n}, d={d}, gamma={gamma:g}, theta={theta:g}, spread={spread:g}"
        )
    options: dict[str, Any] = {"generator": rng, "device": rng.device, "dtype": torch.float64}
    frame = torch.linalg.qr(torch.randn(d, d, **options)).Q  # the first column is u
    p = 0.5 + torch.rand(d, **options)
    p = p / p.sum()
    corners = _simplex(d).to(rng.device) * (0.7 + 0.6 * torch.rand(d, 1, **options))
    across = spread * (corners - p @ corners)  # weighted mean 0
    along = gamma * (theta + 2 * torch.rand(n - d, **options))
    others = spread * torch.randn(n - d, d - 1, **options)
    z = torch.cat([along.new_full((d,), gamma), along])[:, None] * frame[:, 0]
    z = z + torch.cat([across, others]) @ frame[:, 1:].T
    y = torch.where(torch.rand(n, **options) < 0.5, -1.0, 1.0).to(torch.float64)
    y[: min(2, n)] = y.new_tensor([1.0, -1.0])[: min(2, n)]
    alpha = torch.cat([p / gamma**2, p.new_zeros(n - d)])
    return SupportedCloud(y[:, None] * z, y, frame[:, 0] / gamma, alpha)


def _simplex(d: int) -> Float[Tensor, "d k"]:
    """The corners of a regular simplex around 0 in d - 1 dimensions, of length 1."""
    centred = torch.eye(d, dtype=torch.float64) - 1 / d
    basis = torch.linalg.svd(centred).U[:, : d - 1]
    corners: Tensor = centred @ basis
    if d > 1:
        corners /= corners.norm(dim=1, keepdim=True)
    return corners
