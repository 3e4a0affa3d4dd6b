r"""Piecewise-linear functions as ReLU sums, and every continuous function as their limit.

A continuous function on the line with m affine pieces and breakpoints
:math:`x_1<\dots<x_{m-1}` is

.. math:: g(x)=ax+b+\sum_{i=1}^{m-1}c_i\,(x-x_i)_+

with the first slope a and the jumps of slope :math:`c_i`. Two more ReLUs make the affine part:
:math:`ax+b=a\,(x+b/a)_+-a\,(-x-b/a)_+`.

:source: Perez Jensen (2025), Deep Learning, Section 2.5, Theorems 2.10 to 2.12; Lebesgue (1898),
    Sur l'approximation des fonctions.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.models.approximators.shallow import Superposition, fit_superposition
from corollary.theory.approximation.grids import Function, box_grid
from corollary.theory.expressivity.piecewise import PiecewiseLinear
from corollary.theory.prerequisites.wellformed import check_at_least, check_no_nan
from corollary.theory.seeding import as_generator

JUMP = 1e-9  # pieces that differ by more than this share of their values do not meet


class ReluFit(NamedTuple):
    """A network within a tolerance, and what was tried on the way."""

    network: Superposition
    widths: tuple[int, ...]  # units that were allowed
    errors: tuple[float, ...]  # sup errors on a fine grid


def pl_interpolant(f: Function, m: int, *, low: float = 0.0, high: float = 1.0) -> PiecewiseLinear:
    r"""The piecewise-linear function that meets ``f`` at m + 1 equispaced nodes.

    Its sup error on [low, high] is at most :math:`\omega(f,h)` with h the distance of nodes, and
    at most :math:`h^2\|f''\|_\infty/8` if f is twice continuously differentiable.

    Example:
        >>> g = pl_interpolant(lambda x: x[:, 0] ** 2, 2)
        >>> g(torch.tensor([0.25, 0.75], dtype=torch.float64)).tolist()
        [0.125, 0.625]

    :covers: piecewise-linear-density
    """
    if m < 1 or not low < high:
        raise InputError(
            f"m >= 1 pieces and low < high are needed, got m={m}, low={low:g}, high={high:g}"
        )
    knots = torch.linspace(low, high, m + 1, dtype=torch.float64)
    values = f(knots[:, None])
    slopes = values.diff() / knots.diff()
    return PiecewiseLinear(knots, values, float(slopes[0]), float(slopes[-1]))


def interpolation_bound(m: int, curvature: float, *, length: float = 1.0) -> float:
    r"""The certificate :math:`\|f''\|_\infty h^2/8`, :math:`h=\mathrm{length}/m`.

    Example:
        >>> interpolation_bound(2, 2.0)  # x^2 on two pieces, attained in the middle of each
        0.0625
    """
    if m < 1 or not (0 <= curvature < math.inf and 0 < length < math.inf):
        raise InputError(
            f"finite numbers and m >= 1 are needed, got m={m}, curvature={curvature:g}, "
            f"length={length:g}"
        )
    return curvature * (length / m) ** 2 / 8


def pl_to_relu(g: PiecewiseLinear, *, rtol: float = 0.0) -> Superposition:
    r"""A ReLU network that is ``g`` everywhere: one unit a breakpoint, and two for the affine part.

    The two come last. Breakpoints whose slope changes by at most ``rtol`` of the largest slope are
    left out.

    Example:
        >>> knot = torch.zeros(1, dtype=torch.float64)
        >>> net = pl_to_relu(PiecewiseLinear(knot, knot, -1.0, 1.0))  # |x|
        >>> net.units, net(torch.tensor([[-3.0], [2.0]], dtype=torch.float64)).tolist()
        (3, [3.0, 2.0])

    :covers: pl-as-relu-sum
    :erratum: [missing hypothesis] Continuity is not stated. If "piecewise linear" does not include
        it, a step is a counterexample: every finite ReLU sum is continuous and misses one of the
        values 0 and 1 beside the jump by 1/2. "A sum of m - 1 ReLUs" also leaves out the affine
        part ax + b: for g(x) = x there is one piece and no ReLU at all.
    """
    check_at_least("rtol", rtol, 0)
    x, y = g.knots, g.values
    inner = y.diff() / x.diff()
    slopes = torch.cat([x.new_tensor([g.left]), inner, x.new_tensor([g.right])])
    c = slopes.diff()
    keep = c.abs() > rtol * slopes.abs().max()
    x, c = x[keep], c[keep]
    a, b = g.left, float(g.values[0] - g.left * g.knots[0])
    if a != 0:
        w2, b2, a2 = [1.0, -1.0], [b / a, -b / a], [a, -a]
    else:  # a constant: a unit that is always 1, and one that is always 0
        w2, b2, a2 = [0.0, 0.0], [1.0, 0.0], [b, 0.0]
    new = g.knots.new_tensor
    w = torch.cat([torch.ones_like(x), new(w2)])[:, None]
    return Superposition(torch.relu, w, torch.cat([-x, new(b2)]), torch.cat([c, new(a2)]))


def from_pieces(
    breakpoints: Float[Tensor, " k"],
    slopes: Float[Tensor, " m"],
    intercepts: Float[Tensor, " m"],
) -> PiecewiseLinear:
    r"""The function that is :math:`s_ix+t_i` on the i-th of m = k + 1 intervals.

    Raises:
        InputError: if the pieces do not meet at a breakpoint.

    Example:
        >>> half = torch.tensor([0.5], dtype=torch.float64)
        >>> from_pieces(half, half.new_tensor([0.0, 2.0]), half.new_tensor([1.0, 0.0])).pieces
        2
    """
    if len(slopes) != len(breakpoints) + 1 or len(intercepts) != len(slopes):
        raise InputError(
            f"{len(breakpoints)} breakpoints have {len(breakpoints) + 1} pieces, got "
            f"{len(slopes)} slopes and {len(intercepts)} intercepts"
        )
    if len(breakpoints) == 0:
        return PiecewiseLinear(
            slopes.new_zeros(1), intercepts.clone(), float(slopes[0]), float(slopes[0])
        )
    before = slopes[:-1] * breakpoints + intercepts[:-1]
    after = slopes[1:] * breakpoints + intercepts[1:]
    scale = float(torch.cat([before, after]).abs().max()) or 1.0
    jump = (after - before).abs()
    if bool((jump > JUMP * scale).any()):
        at = float(breakpoints[int(jump.argmax())])
        raise InputError(
            f"the function jumps by {float(jump.max()):.3g} at {at:g}, but a sum of ReLUs is "
            "continuous"
        )
    return PiecewiseLinear(breakpoints, before, float(slopes[0]), float(slopes[-1]))


def _interpolating_network(f: Function, low: float, high: float, m: int) -> Superposition:
    return pl_to_relu(pl_interpolant(f, m, low=low, high=high), rtol=1e-12)


def fit_relu_uniform(
    f: Function,
    eps: float,
    *,
    d: int = 1,
    low: float = 0.0,
    high: float = 1.0,
    largest: int = 1024,
    sigma: Callable[[Tensor], Tensor] = torch.relu,
    rng: int | Generator = 0,
) -> ReluFit:
    r"""A network with sup error at most ``eps`` on the cube, by doubling the width.

    One dimension and ReLU: the interpolant of :func:`pl_interpolant`, written as a network. More
    dimensions, or another activation: units along drawn directions, outer weights by least
    squares. If ``largest`` units do not do, the widest network stands, and ``errors`` says so.

    Example:
        >>> found = fit_relu_uniform(lambda x: x[:, 0].sin(), 1e-3)
        >>> found.errors[-1] <= 1e-3, found.widths[-1]
        (True, 17)

    :covers: relu-universality
    """
    if not eps > 0 or d < 1 or not low < high:
        raise InputError(
            f"eps > 0, d >= 1 and low < high are needed, got {eps=}, {d=}, {low=}, {high=}"
        )
    built, rng = d == 1 and sigma is torch.relu, as_generator(rng)
    network: Callable[[int], Superposition]
    if built:
        network = partial(_interpolating_network, f, low, high)
    else:
        network = partial(fit_superposition, f, sigma, d=d, low=low, high=high, rng=rng)
    grid = {1: 4001, 2: 101}.get(d, 0)
    if grid:
        x = box_grid(d, grid, low, high)
    else:
        x = low + (high - low) * torch.rand(20_000, d, generator=rng, dtype=torch.float64)
    target = f(x)
    check_no_nan("the values of f", target)
    check_at_least("largest", largest, 2)
    widths, errors, m = [], [], 2
    while True:
        net = network(m)
        widths.append(m + 1 if built else m)  # straight knots need no unit, but are counted
        errors.append(float((net(x) - target).abs().max().detach()))
        if errors[-1] <= eps or 2 * m > largest:
            return ReluFit(net, tuple(widths), tuple(errors))
        m *= 2
