r"""Cut polygons along the zero lines of functions that are affine on each of them.

A function is known by its values at the vertices. On an edge from a to b it vanishes at
:math:`a + t(b - a)`, :math:`t = z_a / (z_a - z_b)`. Neighbours agree on their common edge, so they
find the same point, and the cells stay a subdivision. Values up to ``slack`` count as zero: a line
through a vertex uses that vertex, and a line along an edge cuts nothing.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int8

from corollary.errors import InputError
from corollary.theory.compiled import Backend, compiled
from corollary.theory.expressivity.regions.cells import Cells, gathered
from corollary.theory.expressivity.regions.cutting_kernel import cut_cells

SMALL = 2**16  # signs to look at, and pairs of lines, below which compiling does not pay


def cut(
    cells: Cells, z: Float[np.ndarray, "v m"], *, slack: float, backend: Backend = "auto"
) -> Cells:
    """All cells cut by all m functions, in their order; old vertices keep their numbers.

    Cost: O(vm) to find what is cut; then each polygon pays for its own cuts. The compiled kernel
    cuts polygon by polygon, the other path function by function.

    Args:
        cells: A subdivision into convex polygons.
        z: The functions at the vertices; each is affine on each polygon.
        slack: Values up to this size are zero.
        backend: As in :func:`corollary.theory.compiled.compiled`; all give the same cells.

    Example:
        >>> square = Cells(np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]), np.array([0, 4]),
        ...                np.arange(4))
        >>> x, y = square.vertices.T
        >>> cut(square, np.stack([x - 0.25, y - 0.5, x - y], axis=1), slack=1e-12).count
        7
    """
    if not slack >= 0 or math.isnan(float(z.sum())):
        raise InputError(f"expected z without NaN and slack >= 0, got NaN or slack = {slack}")
    sign = (z > slack).astype(np.int8) - (z < -slack).astype(np.int8)
    work = z.shape[1] * (cells.count + 4 * z.shape[1])
    kernel = compiled(cut_cells, backend, worth_it=work >= SMALL)
    mixed = mixed_signs(cells, sign)
    busy = np.flatnonzero(mixed.any(axis=1))
    if len(busy) == 0:
        return cells
    idle = cells.take(np.flatnonzero(~mixed.any(axis=1)))
    active = cells.take(busy)
    if kernel is None:
        done = _one_function_at_a_time(active, z, np.any(mixed[busy], axis=0), slack)
    else:
        done = _one_polygon_at_a_time(active, z, sign, slack, kernel)
    return gathered(done.vertices, [idle, done])


def mixed_signs(cells: Cells, sign: Int8[np.ndarray, "v m"]) -> Bool[np.ndarray, "p m"]:
    """Which function is both positive and negative on which polygon; eight signs to a byte."""
    either = []
    for side in (sign > 0, sign < 0):
        packed = np.packbits(side, axis=1)
        either.append(np.bitwise_or.reduceat(packed[cells.corner], cells.start[:-1], axis=0))
    both = np.bitwise_and(either[0], either[1])
    return np.unpackbits(both, axis=1, count=sign.shape[1]).astype(bool)


def _one_function_at_a_time(
    cells: Cells, z: np.ndarray, relevant: np.ndarray, slack: float
) -> Cells:
    """Every polygon that function u divides is divided at once; new rows of z are interpolated."""
    wanted = np.flatnonzero(relevant)
    table, x = _Rows(z[:, wanted]), _Rows(cells.vertices)
    for u in range(len(wanted)):
        value = table.rows[:, u]
        sign = (value > slack).astype(np.int8) - (value < -slack).astype(np.int8)
        mixed = mixed_signs(cells, sign[:, None])[:, 0]
        if not mixed.any():
            continue
        hit = cells.take(np.flatnonzero(mixed))
        low, high, edge = hit.edges()
        crossed = np.flatnonzero(sign[low] * sign[high] < 0)
        a, b = low[crossed], high[crossed]
        t = (value[a] / (value[a] - value[b]))[:, None]
        number = np.full(len(low), -1)
        number[crossed] = len(sign) + np.arange(len(crossed))
        x.append(x.rows[a] + t * (x.rows[b] - x.rows[a]))
        table.append(table.rows[a] + t * (table.rows[b] - table.rows[a]))
        sign = np.concatenate([sign, np.zeros(len(crossed), dtype=np.int8)])
        rest = cells.take(np.flatnonzero(~mixed))
        cells = gathered(x.rows, [rest, *_halves(hit, number[edge], sign)])
    return replace(cells, vertices=x.rows)


def _halves(hit: Cells, inserted: np.ndarray, sign: np.ndarray) -> tuple[Cells, Cells]:
    """Each polygon's corners with the crossings put in: those not below zero, those not above."""
    cross = inserted >= 0
    place = np.arange(len(inserted)) + np.concatenate([[0], np.cumsum(cross)[:-1]])
    corner = np.empty(len(inserted) + int(cross.sum()), dtype=hit.corner.dtype)
    corner[place], corner[place[cross] + 1] = hit.corner, inserted[cross]
    owner = np.empty_like(corner)
    owner[place], owner[place[cross] + 1] = hit.owner, hit.owner[cross]
    halves = []
    for side in (1, -1):
        kept = side * sign[corner] >= 0
        sizes = np.bincount(owner[kept], minlength=hit.count)
        start = np.concatenate([[0], np.cumsum(sizes)])
        halves.append(Cells(hit.vertices, start, corner[kept]))
    return halves[0], halves[1]


class _Rows:
    """A table that grows at its end, copied only when it doubles."""

    def __init__(self, rows: np.ndarray) -> None:
        self._table, self._n = rows, len(rows)

    @property
    def rows(self) -> np.ndarray:
        return self._table[: self._n]

    def append(self, more: np.ndarray) -> None:
        need = self._n + len(more)
        if need > len(self._table):
            table = np.empty((max(need, 2 * self._n), self._table.shape[1]))
            table[: self._n] = self.rows
            self._table = table
        self._table[self._n : need] = more
        self._n = need


def _one_polygon_at_a_time(
    cells: Cells, z: np.ndarray, sign: np.ndarray, slack: float, kernel: Callable[..., Any]
) -> Cells:
    """Points on common edges first, then the compiled kernel inside each polygon."""
    low, high, edge = cells.edges()
    first, unit, t = _crossings(low, high, z, sign)
    spot = np.repeat(np.arange(len(low)), np.diff(first))
    a, b = cells.vertices[low[spot]], cells.vertices[high[spot]]
    x = np.concatenate([cells.vertices, a + t[:, None] * (b - a)])
    start, corner, inner = kernel(
        cells.start, cells.corner, edge, first, unit, t, x, z, sign, float(slack), len(z)
    )
    return Cells(np.concatenate([x, inner]), start, corner)


def _crossings(
    low: np.ndarray, high: np.ndarray, z: np.ndarray, sign: np.ndarray, block: int = 2**22
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each edge, the functions that vanish inside it, ascending, and where."""
    rows = max(1, block // z.shape[1])
    counts, units, places = [np.zeros(1, dtype=np.int64)], [], []
    for begin in range(0, len(low), rows):
        a, b = low[begin : begin + rows], high[begin : begin + rows]
        e, u = np.nonzero(sign[a] * sign[b] < 0)
        za, zb = z[a[e], u], z[b[e], u]
        counts.append(np.bincount(e, minlength=len(a)))
        units.append(u)
        places.append(za / (za - zb))
    return np.cumsum(np.concatenate(counts)), np.concatenate(units), np.concatenate(places)
