r"""The best piecewise-linear fit to points on a line, by dynamic programming.

For points :math:`x_1 < \dots < x_n` with values :math:`y_i`, the least mean of squares that any
function with t affine pieces can have,

.. math:: E_t(j) = \min_{i \le j} \big( E_{t-1}(i - 1) + C(i, j) \big),

C(i, j) being the squared error of the line of regression through the points i to j. Pieces may jump
here, so no continuous function with t pieces, and hence no network with t pieces, does better: what
an optimizer finds can be set against the best there is.

:source: Bellman (1961), "On the approximation of curves by line segments using dynamic
    programming".
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_finite

LARGEST = 2048  # points; all pairs of them are kept


class Segments(NamedTuple):
    """The best fits with 1, 2, ... pieces, and the one with the most pieces."""

    errors: Float[Tensor, " t"]  # least mean of squares with 1, ..., t pieces
    starts: Int[Tensor, " s"]  # first point of each piece of the last fit
    fitted: Float[Tensor, " n"]  # its values


def best_segments(x: Float[Tensor, " n"], y: Float[Tensor, " n"], pieces: int) -> Segments:
    """Least squares over all ways to cut the points into at most ``pieces`` runs.

    Time :math:`O(n^2 t)`, memory :math:`O(n^2 + nt)`.

    Example:
        >>> x, y = torch.arange(4).double(), torch.tensor([0.0, 1.0, 1.0, 0.0]).double()
        >>> found = best_segments(x, y, 2)
        >>> found.errors.tolist(), found.starts.tolist()
        ([0.25, 0.0], [0, 2])
    """
    n = len(x)
    if n == 0 or not bool((x.diff() > 0).all()):
        raise InputError(f"expected ascending points, got {n} unordered points")
    if not 1 <= pieces <= n:
        raise InputError(f"expected 1 to n={n} pieces, got pieces={pieces}")
    if n > LARGEST:
        raise InputError(f"expected at most {LARGEST} points (the cost is n^2 t), got {n}")
    check_finite("y", y)
    cost = line_errors(x, y)
    best, froms = [cost[0]], [torch.zeros(n, dtype=torch.long)]
    for _ in range(pieces - 1):
        before = torch.cat([best[-1].new_full((1,), torch.inf), best[-1][:-1]])
        value, start = (before[:, None] + cost).min(dim=0)
        keep = value < best[-1]  # a piece more never hurts: it may stay unused
        best.append(torch.where(keep, value, best[-1]))
        froms.append(torch.where(keep, start, -1))
    starts = _walk(froms, n)
    errors = torch.stack([b[-1] for b in best]) / n
    return Segments(errors, starts, _fitted(x, y, starts))


def pieces_needed(x: Float[Tensor, " n"], y: Float[Tensor, " n"], error: float) -> int:
    """The fewest pieces whose root mean square error is at most ``error``.

    Example:
        >>> x = torch.arange(8, dtype=torch.float64)
        >>> pieces_needed(x, (x - 4).abs(), 1e-6), pieces_needed(x, (x - 4).abs(), 2.0)
        (2, 1)
    """
    if not error >= 0:
        raise InputError(f"error must not be negative, got {error:g}")
    n, tried = len(x), 8
    while True:
        tried = min(2 * tried, n)
        errors = best_segments(x, y, tried).errors
        if float(errors[-1]) <= error**2 or tried == n:
            return min(int((errors > error**2).sum()) + 1, n)


def line_errors(x: Float[Tensor, " n"], y: Float[Tensor, " n"]) -> Float[Tensor, "n n"]:
    """Squared error of the line of regression through points i to j; infinite for j < i.

    Example:
        >>> x = torch.arange(3, dtype=torch.float64)
        >>> round(float(line_errors(x, torch.tensor([0.0, 1, 0]).double())[0, 2]), 9)
        0.666666667
    """
    n = len(x)
    x, y = x - x.mean(), y - y.mean()  # smaller sums, fewer lost digits
    columns = torch.stack([torch.ones_like(x), x, y, x * x, x * y, y * y])
    total = torch.cat([columns.new_zeros(6, 1), columns.cumsum(dim=1)], dim=1)
    k, sx, sy, sxx, sxy, syy = total[:, None, 1:] - total[:, :-1, None]  # sums over i, ..., j
    k = k.clamp(min=1)
    xx, xy, yy = sxx - sx * sx / k, sxy - sx * sy / k, syy - sy * sy / k
    rest = (yy - torch.where(xx > 0, xy * xy / xx.clamp(min=1e-300), 0.0)).clamp(min=0.0)
    i = torch.arange(n)
    # Two points lie on a line, whatever the rounding of the sums says.
    rest = torch.where((i[None] - i[:, None]) <= 1, 0.0, rest)
    return rest.masked_fill(i[None] < i[:, None], torch.inf)


def _walk(froms: list[Tensor], n: int) -> Tensor:
    """Starts of the pieces, read backwards."""
    j, t, starts = n - 1, len(froms) - 1, []
    while j >= 0:
        start = int(froms[t][j])
        if start >= 0:
            starts.append(start)
            j = start - 1
        t -= 1
    return torch.tensor(starts[::-1])


def _fitted(x: Tensor, y: Tensor, starts: Tensor) -> Tensor:
    ends = [*starts[1:].tolist(), len(x)]
    out = torch.empty_like(y)
    for i, j in zip(starts.tolist(), ends, strict=True):
        centred = x[i:j] - x[i:j].mean()
        size = float(centred @ centred)
        slope = float(centred @ y[i:j]) / size if size > 0 else 0.0
        out[i:j] = y[i:j].mean() + slope * centred
    return out
