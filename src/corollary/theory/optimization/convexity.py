r"""Convexity: by chords, by tangents and by curvature.

A set is convex when segments between its points stay inside. On a convex set, f is convex when

.. math:: f(ax+(1-a)y)\le a f(x)+(1-a)f(y),\qquad 0\le a\le1;

for differentiable f the same as :math:`f(x)\ge f(x')+\nabla f(x')^\top(x-x')`, and for twice
differentiable f as :math:`H(x)\succeq0` everywhere. f is :math:`\mu`-strongly convex when
:math:`f(x+\Delta)\ge f(x)+\nabla f(x)^\top\Delta+\frac\mu2\|\Delta\|^2`, or
:math:`H(x)\succeq\mu I`. Every local minimum of a convex function is global. Samples refute: a
violation is a proof, its absence is not.

:source: Lucchi (2025), Foundations of Deep Learning, Definitions 17, 18 and 20, Sections 5.5 and
    5.8, Problem 1.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.gradients import Function, gradient, same_length, scalar
from corollary.theory.prerequisites.hessians import hessian
from corollary.theory.prerequisites.wellformed import check_finite


class Witness(NamedTuple):
    """A chord that leaves the set, or runs below the function."""

    x: Tensor
    y: Tensor
    a: float  # weight of x
    excess: float  # f(ax + (1-a)y) - a f(x) - (1-a) f(y); infinite for a set


class Curvature(NamedTuple):
    """The smallest eigenvalue of the Hessian over some points."""

    value: float
    point: Tensor
    direction: Tensor


def convexity_probe(
    f: Function,
    low: Float[Tensor, " d"],
    high: Float[Tensor, " d"],
    *,
    samples: int = 2000,
    rng: Generator,
) -> Witness | None:
    r"""Look for a chord below f in a box; ``None`` says that no violation was found.

    Pairs are drawn at all distances from the size of the box to a thousandth of it; of all
    violations the largest is returned. ``f`` is evaluated on batches by ``torch.vmap``.

    Example:
        >>> box = -torch.ones(1), torch.ones(1)
        >>> rng = torch.Generator().manual_seed(0)
        >>> convexity_probe(lambda x: (x**2).sum(), *box, rng=rng) is None
        True
        >>> convexity_probe(lambda x: (x**3).sum(), *box, rng=rng).excess > 0
        True

    :covers: convexity-test
    """
    x, y, a = _chords(low, high, samples, rng)
    values = torch.vmap(f)
    between, left, right = values(a * x + (1 - a) * y), values(x), values(y)
    a = a[:, 0]
    excess = between - a * left - (1 - a) * right
    size = torch.stack([between.abs(), left.abs(), right.abs()]).amax(dim=0)
    slack = 64 * torch.finfo(x.dtype).eps * size.clamp(min=1.0)
    i = int((excess - slack).argmax())
    if not bool(excess[i] > slack[i]):
        return None
    return Witness(x[i], y[i], float(a[i]), float(excess[i]))


def set_convexity_probe(
    inside: Callable[[Tensor], Tensor],
    low: Float[Tensor, " d"],
    high: Float[Tensor, " d"],
    *,
    samples: int = 2000,
    rng: Generator,
) -> Witness | None:
    """Look for a segment in a box that leaves the set with points ``inside`` (rows to booleans).

    Example:
        >>> box = -torch.ones(2), torch.ones(2)
        >>> rng = torch.Generator().manual_seed(0)
        >>> set_convexity_probe(lambda x: x.norm(dim=1) <= 1, *box, rng=rng) is None
        True
        >>> set_convexity_probe(lambda x: x.norm(dim=1) >= 0.5, *box, rng=rng) is None
        False
    """
    x, y, a = _chords(low, high, samples, rng)
    left = inside(x) & inside(y) & ~inside(a * x + (1 - a) * y)
    if not bool(left.any()):
        return None
    i = int(left.nonzero()[0])
    return Witness(x[i], y[i], float(a[i]), float("inf"))


def first_order_convexity_gap(
    f: Function, x: Float[Tensor, " d"], xp: Float[Tensor, " k"]
) -> float:
    r"""How far f lies above its tangent: :math:`f(x)-f(x')-\nabla f(x')^\top(x-x')`.

    Never negative for convex f, and negative somewhere for every differentiable f that is not.

    Example:
        >>> one, zero = torch.ones(1), torch.zeros(1)
        >>> first_order_convexity_gap(lambda x: (x**2).sum(), one, zero)
        1.0
        >>> first_order_convexity_gap(lambda x: (x**3).sum(), -one, zero)
        -1.0

    :covers: convex-first-order
    """
    same_length("x'", xp, x)
    rise = scalar(f, x).detach() - scalar(f, xp).detach()
    return float(rise - gradient(f, xp) @ (x - xp))


def strong_convexity_constant(f: Function, points: Float[Tensor, "n d"]) -> Curvature:
    r"""The smallest eigenvalue of the Hessian over ``points``, with where and along what it is.

    It is the best :math:`\mu` that the points allow, exact for a quadratic; negative where f is not
    convex, which proves that it is not. Costs n dense Hessians, :math:`O(nd)` gradients.

    Example:
        >>> x = torch.tensor([[0.0], [1.0]], dtype=torch.float64)
        >>> strong_convexity_constant(lambda x: (x**4).sum(), x).value
        0.0

    :covers: strong-convexity
    """
    check_finite("points", points)
    hessians = torch.stack([hessian(f, x) for x in points])
    check_finite("the second derivatives of f", hessians)
    values, vectors = torch.linalg.eigh(hessians)
    i = int(values[:, 0].argmin())
    return Curvature(float(values[i, 0]), points[i], vectors[i, :, 0])


def _chords(
    low: Tensor, high: Tensor, samples: int, rng: Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """Pairs of points of a box at all distances, and a weight for each."""
    same_length("low", low, high)
    if not bool((low < high).all()) or samples < 1:
        raise InputError("a box needs low < high in each coordinate, and at least one sample")
    uniform = partial(torch.rand, generator=rng, device=rng.device, dtype=low.dtype)
    u, v = uniform(2, samples, len(low))
    near, a = uniform(2, samples, 1)
    x, y = low + (high - low) * u, low + (high - low) * v
    return x, x + 10 ** (-3 * near) * (y - x), a
