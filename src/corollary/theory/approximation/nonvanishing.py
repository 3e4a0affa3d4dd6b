r"""A point where no derivative of an activation vanishes.

If :math:`\sigma\in C^\infty(a,b)` is not a polynomial there, some :math:`x_0\in(a,b)` has
:math:`\sigma^{(k)}(x_0)\ne0` for all :math:`k`. It is what lets finite differences of one unit
produce every monomial.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.4, Lemma 20; Donoghue (1969);
    Pinkus (1999), Approximation theory of the MLP model in neural networks.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_no_nan

Line = Callable[[Tensor], Tensor]  # entry by entry


class Nonvanishing(NamedTuple):
    """The best point that was found, and how far its derivatives are from zero."""

    point: float | None  # None where an order vanishes on the whole grid
    shares: Float[Tensor, " k"]  # |sigma^(j)(point)| / max |sigma^(j)|, or the best share by order
    vanishing_order: int | None  # the first order that vanishes on the whole grid


def jets(sigma: Line, x: Float[Tensor, " n"], k: int) -> Float[Tensor, "p n"]:
    r"""Derivatives of orders 0 to k at each point, by repeated autograd.

    The cost may grow like :math:`2^k`, for all points together.

    Example:
        >>> jets(torch.square, torch.tensor([3.0]), 3).tolist()
        [[9.0], [6.0], [2.0], [0.0]]
    """
    if k < 0:
        raise InputError(f"the order k must be at least 0, got {k}")
    with torch.enable_grad():
        x = x.detach().requires_grad_(True)
        rows = [sigma(x)]
        for _ in range(k):
            last = rows[-1]
            if not last.requires_grad:
                rows.append(torch.zeros_like(last))
                continue
            (slope,) = torch.autograd.grad(last.sum(), x, create_graph=True, materialize_grads=True)
            rows.append(slope)
    return torch.stack([row.detach() for row in rows])


def find_nonvanishing_point(
    sigma: Line, interval: tuple[float, float], k_max: int, *, points: int = 257
) -> Nonvanishing:
    r"""Search a grid of an open interval for the point furthest from all zeros.

    Each order is measured against its own largest value on the grid, and the point whose smallest
    share over the orders :math:`0,\dots,k_{\max}` is largest is returned. An order whose values
    are all rounding beside those of the order before (a polynomial's order k + 1) is reported.

    Example:
        >>> found = find_nonvanishing_point(torch.sin, (0.0, 1.0), 6)
        >>> round(found.point, 2), bool((found.shares > 0.5).all())
        (0.7, True)
        >>> find_nonvanishing_point(lambda z: z**3, (-1.0, 1.0), 6).vanishing_order
        4

    :covers: nonvanishing-derivatives
    """
    low, high = interval
    if not low < high:
        raise InputError(f"the interval needs low < high, got low={low:g}, high={high:g}")
    x = torch.linspace(low, high, points + 2, dtype=torch.float64)[1:-1]
    sizes = jets(sigma, x, k_max).abs()
    check_no_nan("the derivatives of sigma", sizes)
    largest = sizes.max(1).values
    scale = torch.cummax(largest, 0).values
    shares = sizes / largest.clamp(min=1e-300)[:, None]
    gone = (largest <= 1e-13 * scale).nonzero()[:, 0]
    if len(gone):
        return Nonvanishing(None, (largest > 0).to(x.dtype), int(gone[0]))
    best = int(shares.min(0).values.argmax())
    return Nonvanishing(float(x[best]), shares[:, best], None)


def polynomial_degree(sigma: Line, most: int = 8, *, reach: float = 6.0) -> int | None:
    """The degree of an activation that is a polynomial of degree at most ``most``, else None.

    By the residual of Chebyshev fits on ``[-reach, reach]``, which for a polynomial is rounding.

    Example:
        >>> polynomial_degree(lambda z: 1 + z**3), polynomial_degree(torch.tanh)
        (3, None)
    """
    x = torch.cos(torch.linspace(0, torch.pi, 201, dtype=torch.float64))
    y = sigma(reach * x)
    T = torch.cos(torch.arccos(x.clamp(-1, 1))[:, None] * torch.arange(most + 1))
    for degree in range(most + 1):
        columns = T[:, : degree + 1]
        solved = torch.linalg.lstsq(columns, y[:, None], driver="gelsd").solution
        fitted = columns @ solved[:, 0]
        if float((fitted - y).abs().max()) <= 1e-10 * max(float(y.abs().max()), 1e-300):
            return degree
    return None
