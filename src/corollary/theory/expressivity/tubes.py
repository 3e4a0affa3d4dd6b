r"""Tubes around lines in a ball: how little of it they fill.

A point uniform in :math:`r\,\mathbb B^n` is the projection of one uniform on a sphere in
:math:`\mathbb R^{n+2}`, so its squared distance from a line through the origin is :math:`r^2` times
a Beta variable with parameters :math:`(n-1)/2` and 3/2: one tube of radius 1 fills the share
:math:`I_{1/r^2}((n-1)/2, 3/2)`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.2, Step III; Eldan and Shamir
    (2016), "The power of depth for feedforward neural networks".
:covers: tube-volume-ratio
"""

import math
from typing import Any

import torch
from jaxtyping import Bool, Float
from scipy.special import betainc, gammaln
from torch import Generator, Tensor

from corollary.errors import InputError


def tube_bound(n: int, r: float | int, m: int = 1) -> float:
    r"""The bound :math:`m\,2r\,V_{n-1}/(r^n V_n)` on the share that m unit tubes fill.

    Each tube is inside a cylinder of length 2r. About :math:`m\sqrt{2n/\pi}\,r^{1-n}`.

    Example:
        >>> round(tube_bound(3, 2.0), 9)  # 2 * 2 * pi / (8 * 4 pi / 3)
        0.375
    """
    _check(n, r, m)
    ratio = math.exp(gammaln(n / 2 + 1) - gammaln((n + 1) / 2)) / math.sqrt(math.pi)
    return m * 2 * ratio * float(r) ** (1 - n)


def tube_fraction(n: int, r: float | int) -> float:
    """The share of the ball of radius r that one unit tube through its centre fills.

    Example:
        >>> round(tube_fraction(3, 2.0), 9), tube_fraction(5, 0.5)  # 1 - (1 - 1/4)^(3/2), and all
        (0.350480947, 1.0)
    """
    _check(n, r, 1)
    return float(betainc((n - 1) / 2, 1.5, min(1.0, float(r) ** -2))) if n > 1 else 1.0


def ball_points(k: int, n: int, r: float | int, *, rng: Generator) -> Float[Tensor, "k n"]:
    """Draw k points uniform in the ball of radius r.

    Example:
        >>> x = ball_points(100, 3, 2.0, rng=torch.Generator().manual_seed(0))
        >>> bool((x.norm(dim=1) <= 2).all())
        True
    """
    _check(n, r, k)
    kind: dict[str, Any] = {"generator": rng, "device": rng.device, "dtype": torch.float64}
    x = torch.randn(k, n, **kind)
    length = r * torch.rand(k, 1, **kind) ** (1 / n)
    points: Tensor = length * x / x.norm(dim=1, keepdim=True)
    return points


def in_tubes(
    x: Float[Tensor, "k n"], directions: Float[Tensor, "m n"], radius: float | int = 1.0
) -> Bool[Tensor, " k"]:
    """Whether a point is within the radius of one of the lines along the directions.

    Example:
        >>> x = torch.tensor([[5.0, 0.5], [3.0, 3.0]])
        >>> in_tubes(x, torch.tensor([[2.0, 0.0]])).tolist()
        [True, False]
    """
    length = directions.norm(dim=1, keepdim=True)
    if not bool((length > 0).all()):
        raise InputError("a direction of length zero spans no line")
    along: Tensor = x @ (directions / length).T
    off = x.square().sum(dim=1, keepdim=True) - along.square()
    return (off <= radius**2).any(dim=1)


def _check(n: int, r: float | int, m: int) -> None:
    if not (n >= 1 and m >= 1 and 0 < r < math.inf):
        raise InputError(f"n, m >= 1 and r > 0 are needed, got n={n}, m={m}, r={r:g}")
