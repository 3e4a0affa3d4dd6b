r"""Grids on a cube, what they cost, and how far a function moves within a cell.

.. math:: \omega(g,\delta)=\sup\{|g(x)-g(x')|:\|x-x'\|\le\delta\}

A partition of :math:`[0,1]^d` into cubes of side :math:`\delta` has :math:`\lceil1/\delta\rceil^d`
cells, whatever is built on it: with :math:`4d+1` units per cell, a function that is
:math:`\rho`-Lipschitz in :math:`\|\cdot\|_\infty` costs

.. math:: (4d+1)\,\lceil\rho/\epsilon\rceil^d

units for an :math:`L^1` error of :math:`2\epsilon`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.2, Lemma 15, Theorem 16 and
    Remark 1; Telgarsky (2021), Deep learning theory lecture notes.
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError

Function = Callable[[Tensor], Tensor]  # (n, d) points to n values


def box_grid(d: int, n: int, low: float = 0.0, high: float = 1.0) -> Float[Tensor, "k d"]:
    """The points of a grid with ``n`` points along each axis of a cube, ends included.

    Example:
        >>> box_grid(2, 2).tolist()
        [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    """
    if d < 1 or n < 1 or not low < high:
        raise InputError(
            f"a grid needs d, n >= 1 and low < high, got d={d}, n={n}, {low} to {high}"
        )
    axis = torch.linspace(low, high, n, dtype=torch.float64)
    return torch.cartesian_prod(*[axis] * d).reshape(-1, d)


def cells(delta: float) -> int:
    r"""Cells of side at most :math:`\delta` along a unit interval: :math:`\lceil1/\delta\rceil`.

    A quotient that is an integer up to rounding is taken as that integer.

    Example:
        >>> cells(0.1), cells(0.3), cells(2.0)
        (10, 4, 1)
    """
    if not 0 < delta < math.inf:
        raise InputError(f"the side delta must be positive, got {delta:g}")
    return max(1, math.ceil(1 / delta - 1e-9))


def grid_units(rho: float, eps: float, d: int) -> int:
    r"""Units of the box construction for :math:`L^1` error :math:`2\epsilon`.

    :math:`(4d+1)\lceil\rho/\epsilon\rceil^d`, exponential in :math:`d`.

    Example:
        >>> grid_units(1.0, 0.1, 1), grid_units(1.0, 0.1, 3)
        (50, 13000)

    :covers: curse-of-dimensionality-grid
    :test: tests/theory/approximation/test_grids.py
    :erratum: [typo] Remark 1 attributes the curse of dimensionality to Theorem 14, which is about
        one dimension; Theorem 16 is meant.
    """
    if d < 1 or not 0 < eps < math.inf or not 0 <= rho < math.inf:
        raise InputError(
            f"the count needs d >= 1, eps > 0 and rho >= 0, got d={d}, eps={eps:g}, rho={rho:g}"
        )
    boxes: int = (cells(eps / rho) if rho > 0 else 1) ** d
    return (4 * d + 1) * boxes


def modulus_of_continuity(
    g: Function,
    delta: float,
    d: int,
    *,
    norm: float | int = math.inf,
    pairs: int = 20_000,
    rng: Generator,
) -> float:
    r"""The largest :math:`|g(x)-g(x')|` met on pairs of the unit cube at distance :math:`\delta`.

    A lower bound of :math:`\omega(g,\delta)`, and so a test that can refute a claimed modulus.
    Half the pairs are joined by a drawn direction, half by a diagonal
    :math:`(\pm1,\dots,\pm1)`, where the two norms differ most.

    Args:
        g: Takes points (n, d) to n values.
        delta: Distance of the pairs.
        d: Dimension.
        norm: Order of the norm: 2 or infinity, say.
        pairs: How many pairs.
        rng: Source of randomness.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> mean = lambda x: x.mean(1)
        >>> round(modulus_of_continuity(mean, 0.1, 4, rng=rng), 6)
        0.1
        >>> round(modulus_of_continuity(mean, 0.1, 4, norm=2, rng=rng), 6)  # 0.1 / sqrt(4)
        0.05
    """
    if not delta > 0 or pairs < 2 or d < 1:
        raise InputError(f"delta and pairs must be positive, got delta={delta:g}, pairs={pairs}")
    x = torch.rand(pairs, d, generator=rng, dtype=torch.float64)
    step = torch.randn(pairs, d, generator=rng, dtype=torch.float64)
    half = pairs // 2
    step[:half] = torch.where(step[:half] < 0, -1.0, 1.0).to(step.dtype)
    step = step * (delta / torch.linalg.vector_norm(step, ord=norm, dim=1, keepdim=True))
    x = x * (1 - step.abs()).clamp(min=0) + (-step).clamp(min=0)  # keeps x + step in the cube
    return float((g(x + step) - g(x)).abs().max())
