r"""Lipschitz constants: lower bounds by search, upper bounds by a certificate.

If f is differentiable on a convex set and :math:`\|\nabla f\|\le L` there, then
:math:`|f(x)-f(y)|\le L\|x-y\|` on it. Every secant slope is a lower bound of the constant; the
largest gradient on a grid becomes an upper bound once a bound on the curvature says how far the
gradient can rise between the grid's points.

A function ``f`` takes an ``(n, d)`` batch of points to n numbers, each from its own row.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.5, Definition 3 and Lemma 5.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_finite, check_no_nan

Batched = Callable[[Tensor], Tensor]
LARGEST_GRID = 2_000_000  # points


class Secant(NamedTuple):
    """The steepest secant that was found."""

    slope: float  # a lower bound of the Lipschitz constant
    a: Tensor
    b: Tensor


class LipschitzCertificate(NamedTuple):
    """The constant of f on a box lies between ``lower`` and ``upper``."""

    lower: float  # largest gradient that was met
    upper: float  # lower + curvature * covering radius


def batch_gradient(f: Batched, x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    """The gradient of f at each row.

    Example:
        >>> batch_gradient(lambda x: (x**2).sum(dim=1), torch.tensor([[1.0], [3.0]])).tolist()
        [[2.0], [6.0]]
    """
    check_finite("x", x)
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        value = f(x)
        if value.shape != x.shape[:1]:
            raise InputError(
                f"f must return one number for each of {len(x)} points, got shape "
                f"{tuple(value.shape)}"
            )
        if not value.requires_grad:
            return torch.zeros_like(x)
        (g,) = torch.autograd.grad(value.sum(), x, materialize_grads=True)
    return g


def steepest_secant(
    f: Batched, a: Float[Tensor, "n d"], b: Float[Tensor, "n d"], *, halvings: int = 0
) -> Secant:
    r"""The largest :math:`\|f(a_i)-f(b_i)\|/\|a_i-b_i\|`; f may return vectors (a gradient, say).

    One half of a segment is at least as steep as the whole, so each halving can only raise the
    slope; it needs the segments to lie in the domain.

    Example:
        >>> a, b = torch.tensor([[0.0]]), torch.tensor([[2.0]])
        >>> square = lambda x: (x**2).sum(dim=1)
        >>> steepest_secant(square, a, b).slope, steepest_secant(square, a, b, halvings=1).slope
        (2.0, 3.0)
    """
    check_finite("a", a)
    check_finite("b", b)
    apart = (a - b).norm(dim=1) > 0
    if not bool(apart.any()):
        raise InputError("a secant needs two different points, but a and b are the same")
    a, b = a[apart], b[apart]
    with torch.no_grad():
        for _ in range(halvings):
            middle = (a + b) / 2
            first = (_slopes(f, a, middle) >= _slopes(f, middle, b))[:, None]
            a, b = torch.where(first, a, middle), torch.where(first, middle, b)
        slopes = _slopes(f, a, b)
    check_no_nan("the slopes of f", slopes)
    i = int(slopes.argmax())
    return Secant(float(slopes[i]), a[i], b[i])


def lipschitz_lower_estimate(
    f: Batched,
    sampler: Callable[[int, Generator], Tensor],
    *,
    pairs: int = 1000,
    halvings: int = 10,
    rng: Generator,
) -> float:
    r"""A lower bound of the Lipschitz constant on the convex region that ``sampler`` draws from.

    Args:
        f: Takes a batch of points to numbers.
        sampler: ``sampler(n, rng)`` gives an ``(n, d)`` batch of points.
        pairs: Segments to start from.
        halvings: How often each is cut, its steeper half kept.
        rng: Draws.

    Example:
        >>> unit = lambda n, rng: torch.rand(n, 1, generator=rng, dtype=torch.float64)
        >>> f = lambda x: torch.sin(3 * x).sum(dim=1)
        >>> bool(2.99 < lipschitz_lower_estimate(f, unit, rng=torch.Generator()) <= 3)
        True

    :covers: lipschitz-from-gradient-bound
    :test: tests/theory/prerequisites/test_lipschitz.py
    """
    if pairs < 1:
        raise InputError(f"pairs must be at least 1, got {pairs}")
    return steepest_secant(f, sampler(pairs, rng), sampler(pairs, rng), halvings=halvings).slope


def lipschitz_upper_from_gradient(
    f: Batched,
    low: Float[Tensor, " d"],
    high: Float[Tensor, " k"],
    *,
    curvature: float,
    cells: int = 200,
) -> LipschitzCertificate:
    r"""A certified Lipschitz constant on a box: the largest gradient of a grid, plus what it hides.

    Every point is within :math:`r=\frac12\|h\|` of a cell's centre, with h the cell's sides, so
    :math:`\|\nabla f\|` exceeds the largest value at the centres by at most :math:`Mr` when
    ``curvature`` M bounds the operator norm of the Hessian on the box.
    Cost: ``cells**d`` gradients.

    Example:
        >>> f = lambda x: torch.sin(3 * x).sum(dim=1)
        >>> found = lipschitz_upper_from_gradient(
        ...     f, torch.zeros(1).double(), torch.ones(1).double(), curvature=9.0)
        >>> 2.99 < found.lower <= 3 <= found.upper < 3.03
        True
    """
    check_finite("low", low)
    check_finite("high", high)
    if low.shape != high.shape or not bool((low < high).all()):
        raise InputError(
            "a box needs low < high in every coordinate, and low and high of the same shape"
        )
    if not 0 <= curvature < float("inf"):
        raise InputError(f"curvature must be a finite bound, at least 0, got {curvature:g}")
    d = len(low)
    if cells < 1 or cells**d > LARGEST_GRID:
        raise InputError(
            f"expected between 1 and {LARGEST_GRID} grid points, got {cells}^{d}; change cells"
        )
    centres = (torch.arange(cells).to(low) + 0.5) / cells
    grid = torch.cartesian_prod(*([centres] * d)).reshape(-1, d)
    lower = float(batch_gradient(f, low + grid * (high - low)).norm(dim=1).max())
    return LipschitzCertificate(lower, lower + curvature * float((high - low).norm()) / cells / 2)


def _slopes(f: Batched, a: Tensor, b: Tensor) -> Tensor:
    rise: Tensor = (f(a) - f(b)).reshape(len(a), -1).norm(dim=1)
    run: Tensor = (a - b).norm(dim=1)
    return rise / run
