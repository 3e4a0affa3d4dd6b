r"""The iterated tent map, and what few pieces cannot do against it.

.. math:: \Delta(x) = \max(0, \min(2x, 2 - 2x)), \qquad m^{(k)} = \Delta \circ \dots \circ \Delta

On [0, 1] the k-fold iterate has :math:`2^{k-1}` teeth of height 1, :math:`2^k` affine pieces and
:math:`m^{(k)}(i/2^k) = i \bmod 2`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.1; Mathematical Foundations of
    Deep Learning (slides), Telgarsky's Theorem; Telgarsky (2016), "Benefits of depth in neural
    networks".
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.expressivity.piecewise import PiecewiseLinear


def sawtooth_values(x: Float[Tensor, "*n"], k: int) -> Float[Tensor, "*n"]:
    r"""The iterate in closed form: twice the distance of :math:`2^{k-1}x` to the next integer.

    Zero outside [0, 1]. Exact at dyadic numbers.

    Example:
        >>> sawtooth_values(torch.tensor([-1.0, 0.0, 0.25, 0.5, 0.625, 1.5]), 2).tolist()
        [0.0, 0.0, 1.0, 0.0, 0.5, 0.0]
    """
    _check_k(k)
    z = 2.0 ** (k - 1) * x
    outside = (x < 0) | (x > 1)
    return torch.where(outside, torch.zeros_like(x), 2 * (z - z.round()).abs())


def sawtooth_curve(k: int) -> PiecewiseLinear:
    """The iterate with its :math:`2^k + 1` knots.

    Example:
        >>> sawtooth_curve(2).values.tolist()
        [0.0, 1.0, 0.0, 1.0, 0.0]
    """
    _check_k(k)
    i = torch.arange(2**k + 1, dtype=torch.float64)
    return PiecewiseLinear(i / 2**k, i % 2, 0.0, 0.0)


def integral_distance(
    f: PiecewiseLinear, g: PiecewiseLinear, low: float = 0.0, high: float = 1.0
) -> float:
    r"""The distance :math:`\int|f - g|`, exactly: a trapezium or two triangles between knots.

    Example:
        >>> half = PiecewiseLinear(torch.zeros(1).double(), torch.full((1,), 0.5).double(), 0, 0)
        >>> integral_distance(sawtooth_curve(3), half)
        0.25
    """
    if not low < high:
        raise InputError(f"low must be below high, got low={low:g}, high={high:g}")
    ends = f.knots.new_tensor([low, high])
    knots = torch.cat([f.knots, g.knots, ends]).unique()
    knots = knots[(knots >= low) & (knots <= high)]
    gap = f(knots) - g(knots)
    a, b = gap[:-1], gap[1:]
    size = a.abs() + b.abs()
    crossing = (a * a + b * b) / (2 * size.clamp(min=torch.finfo(size.dtype).tiny))
    return float((knots.diff() * torch.where(a * b < 0, crossing, size / 2)).sum())


def telgarsky_lower(pieces: int, k: int) -> float:
    r"""No function with so many pieces is nearer to :math:`m^{(k)}` in :math:`L^1([0, 1])`.

    The line 1/2 cuts :math:`2^k - 1` triangles of area :math:`2^{-k-2}` off the teeth. A function
    with t pieces crosses the line at most t times; each crossing spoils one triangle, and among j
    triangles in a row between two crossings :math:`\lfloor j/2\rfloor` lie on the other side:

    .. math:: \int_0^1 |m^{(k)} - g| \ge (2^{k-1} - 1 - t)\, 2^{-k-2}.

    (The notes have half a triangle more: :math:`\frac12(2^k - 1 - 2t)`. The whole number is what
    this count gives, and it changes no conclusion.)

    Example:
        >>> telgarsky_lower(16, 6)  # L = 2: 15 of 63 triangles of area 1/256
        0.05859375
    """
    _check_k(k)
    _check_pieces(pieces)
    triangles: int = 2 ** (k - 1) - 1
    area: float = 2.0 ** (-k - 2)
    return max(0, triangles - pieces) * area


def alternating_error_bound(pieces: int, n: int) -> float:
    r"""Least share of mistakes on the :math:`2^n` alternating points, with t pieces.

    A thresholded function with t pieces has at most t + 1 runs of one answer, and of j points in a
    run at least :math:`(j - 1)/2` have the other label:

    .. math:: R \ge \frac12 - \frac{t + 1}{2^{n+1}} .

    Example:
        >>> alternating_error_bound(1, 2)  # a line on the labels 0, 1, 0, 1: one mistake
        0.25
    """
    _check_k(n)
    _check_pieces(pieces)
    return max(0.0, 0.5 - (pieces + 1) / 2.0 ** (n + 1))


def narrow_error_bound(n: int, k: int, l: int, w: float | int) -> float:
    r"""The same for l layers of width :math:`w < 2^{(n-k)/l-1}`: :math:`R \ge 1/2 - 2^{-k-1}`.

    Such a network has at most :math:`(2w)^l < 2^{n-k}` pieces.

    Example:
        >>> narrow_error_bound(8, 2, 2, 3)
        0.375
    """
    if not is_narrow(n, k, l, w):
        raise InputError(
            f"the bound needs a width below 2^((n-k)/l-1) = {2 ** ((n - k) / l - 1):g}, got w={w:g}"
        )
    return 0.5 - 2.0 ** (-k - 1)


def is_narrow(n: int, k: int, l: int, w: float | int) -> bool:
    """Whether l layers of width w have too few pieces for all but a part of the points.

    Example:
        >>> is_narrow(8, 2, 2, 3), is_narrow(8, 2, 2, 4)
        (True, False)
    """
    if l < 1 or not 0 <= k <= n:
        raise InputError(f"l >= 1 and 0 <= k <= n are needed, got l={l}, k={k}, n={n}")
    return bool(w < 2.0 ** ((n - k) / l - 1))


def _check_k(k: int) -> None:
    if not 1 <= k <= 40:
        raise InputError(f"expected 1 to 40 iterations of the tent map, got {k}")


def _check_pieces(pieces: int) -> None:
    if not pieces >= 1:
        raise InputError(f"a function has at least one piece, got pieces={pieces}")
