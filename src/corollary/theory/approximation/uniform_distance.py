r"""The uniform distance on a compact box, between two numbers that are proved.

.. math:: d_K(f,g)=\sup_{x\in K}|f(x)-g(x)|,\qquad d_K(f,\mathcal{G})=\inf_{g\in\mathcal{G}}d_K(f,g)

:math:`\mathcal{G}` is universal for :math:`\mathcal{F}` if :math:`d_K(f,\mathcal{G})=0` for every
:math:`f\in\mathcal{F}` and every compact K. Any value met is a lower bound of the sup. If
:math:`f-g` has the Lipschitz constant L, a cell with centre c and half diagonal :math:`\rho` holds
nothing above :math:`|f(c)-g(c)|+L\rho`: cells that could hold more than the best value met are cut
in halves until the two bounds are close.

:source: Perez Jensen (2025), Deep Learning, Section 2.4, Definitions 2.1 to 2.3.
:covers: uniform-distance-on-compacts
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.approximation.distance import Box
from corollary.theory.approximation.grids import Function, box_grid
from corollary.theory.prerequisites.wellformed import check_no_nan

LARGEST = 400_000  # cells held at once


class Certified(NamedTuple):
    """The sup lies between ``lower`` and ``upper``."""

    lower: float  # a value that was met
    upper: float  # infinite without a Lipschitz constant
    at: tuple[float, ...]  # where the lower one was met


def sup_distance(
    f: Function, g: Function, box: Box, *, lipschitz: float | None = None, atol: float = 1e-4
) -> Certified:
    r"""Bounds on :math:`\sup_K|f-g|` over a box.

    Args:
        f: Takes points (n, d) to n values.
        g: The other one.
        box: Finite ends for each axis: the sup over an unbounded domain cannot be certified.
        lipschitz: Of :math:`f-g`, in the Euclidean norm; an understated one voids ``upper``.
        atol: Stop when the bounds are this close, or when the cells are too many.

    Example:
        >>> found = sup_distance(lambda x: x[:, 0].sin(), lambda x: 0 * x[:, 0],
        ...                      [(0.0, math.pi)], lipschitz=1.0)
        >>> found.lower <= 1.0 <= found.upper <= found.lower + 1e-4
        True
    """
    if not box or not all(math.isfinite(a) and math.isfinite(b) and a < b for a, b in box):
        raise InputError(
            f"the domain must be compact: finite ends low < high on every axis, got {list(box)}"
        )
    if lipschitz is not None and not 0 <= lipschitz < math.inf or not atol > 0:
        raise InputError(f"expected lipschitz >= 0 and atol > 0, got {lipschitz=}, {atol=}")
    d = len(box)
    low = torch.tensor([a for a, _ in box], dtype=torch.float64)
    size = torch.tensor([b for _, b in box], dtype=torch.float64) - low
    n = max(2, min(256, round(4096 ** (1 / d))))
    half = size / (2 * n)
    centre = low + half + (size - 2 * half) * box_grid(d, n)
    lower, upper, at = -math.inf, math.inf, low
    while True:
        values = (f(centre) - g(centre)).abs()
        check_no_nan("the values of f - g", values)
        place = int(values.argmax())
        if float(values[place]) > lower:
            lower, at = float(values[place]), centre[place]
        if lipschitz is None:
            return Certified(lower, upper, tuple(at.tolist()))
        slack = lipschitz * float(half.norm())
        promising = centre[values + slack > lower + atol / 2]  # the others are settled by this
        upper = min(upper, max(lower + atol / 2, float(values[place]) + slack))
        if upper - lower <= atol or len(promising) * 2**d > LARGEST or len(promising) == 0:
            return Certified(lower, upper, tuple(at.tolist()))
        half = half / 2
        centre = _halved(promising, half)


def _halved(centre: Tensor, half: Tensor) -> Tensor:
    """The centres of the 2^d parts of each cell."""
    d = centre.shape[1]
    corners = box_grid(d, 2, -1.0, 1.0) * half  # (2^d, d)
    return (centre[:, None] + corners).reshape(-1, d)
