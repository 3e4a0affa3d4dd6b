r"""All linear regions of a network on a polygon in a plane of its input space.

The cells start as the polygon itself. At each stop of the network's program the pre-activations
are computed at the vertices only (on a cell they are affine) and every cell is cut where one of
them vanishes. New vertices are run through the network from the beginning, so that errors do not
add up along the layers.

:source: Perez Jensen (2025), Deep Learning, Section 2.5; the idea of following vertices is that of
    Berzins (2023), "Polyhedral complex extraction from ReLU networks using edge subdivision".
"""

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.compiled import Backend
from corollary.theory.expressivity.regions.cells import Cells
from corollary.theory.expressivity.regions.cutting import cut
from corollary.theory.expressivity.regions.mosaic import Mosaic, Plane
from corollary.theory.expressivity.regions.program import Program, joined
from corollary.theory.expressivity.regions.reading import Values
from corollary.theory.prerequisites.wellformed import check_at_least

KEPT = 2**28  # bytes of values that are kept from stop to stop
BLOCK = 8192  # vertices at a time otherwise


def linear_regions(
    model: nn.Module,
    polygon: Float[Tensor, "k 2"] | float | int = 1.0,
    *,
    origin: Shaped[Tensor, " *shape"] | None = None,
    basis: Shaped[Tensor, "2 *shape"] | None = None,
    decision: bool = False,
    tolerance: float = 1e-12,
    limit: int = 10_000_000,
    backend: Backend = "auto",
) -> Mosaic:
    r"""Enumerate the cells on which the network is affine, exactly.

    A point p of the plane stands for the input :math:`x = o + p_1 e_1 + p_2 e_2`. Two cells differ
    in their activation pattern. Cost: every vertex passes the network once, in double precision;
    memory is that of the widest layer times the number of vertices before the last layer.

    Args:
        model: Any module of affine layers, rectifiers (plain, leaky, clipped), maximum pools and
            sums; it is read, not changed.
        polygon: Corners of a convex polygon in the plane, in order; a number r is the square
            :math:`[-r, r]^2`.
        origin: The input at p = 0; zero if absent.
        basis: The inputs :math:`e_1, e_2`, stacked; if absent the network takes two numbers.
        decision: Also cut where the predicted class changes: the largest output, or the sign of
            a single one.
        tolerance: Pre-activations up to this share of their layer's largest are zero. Cells
            thinner than that are not seen.
        limit: Stop with an error beyond so many cells.
        backend: ``numba`` or ``torch`` (array operations only); ``auto`` compiles what is large.

    Example:
        >>> three_lines = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        >>> w = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        >>> _ = three_lines[0].weight.data.copy_(w), three_lines[0].bias.data.fill_(-0.2)
        >>> linear_regions(three_lines).count
        7

    :covers: relu-activation-patterns
    """
    check_at_least("tolerance", tolerance, 0)
    program = Program.read(model)
    corners = _polygon(polygon)
    plane = Plane.through(origin, basis)
    _check_fit(program, plane, corners)
    number = np.arange(len(corners))
    cells = Cells(corners, np.array([0, len(corners)]), number)
    table = _Table(program, plane)
    while table.step <= program.last_look:
        columns = table.next_columns(cells.vertices)
        cells = _cut(cells, columns, tolerance, limit, backend)
        del columns
    if decision:
        cells = _cut_classes(cells, program, plane, tolerance, limit, backend)
    mosaic = Mosaic(cells.without_orphans(), program, plane, tolerance, decision)
    return mosaic.merged() if program.merges or decision else mosaic


class _Table:
    """The network's values at all vertices, stop after stop.

    What is small is kept and only new vertices are run from the beginning; what is large is
    computed afresh in blocks, so that no more than the columns themselves is held.
    """

    def __init__(self, program: Program, plane: Plane) -> None:
        self.program, self.plane, self.step = program, plane, 0
        self.state: Values = {}
        self.known = 0

    def next_columns(self, vertices: Float[np.ndarray, "v 2"]) -> Float[Tensor, "v m"]:
        if self.known < 0 or len(vertices) * sum(_row_sizes(self.state)) > KEPT:
            return self._afresh(vertices)
        if len(vertices) > self.known:
            new = self.program.until(self.plane.points(vertices[self.known :]), self.step)
            self.state = joined(self.state, new) if self.known else new
            self.known = len(vertices)
        self.step, columns = self.program.advance(self.state, self.step)
        assert columns is not None, "there is a stop left"
        return columns

    def _afresh(self, vertices: np.ndarray) -> Tensor:
        self.state, self.known = {}, -1
        out, goes_on = None, self.step
        for first in range(0, len(vertices), BLOCK):
            values = self.program.until(
                self.plane.points(vertices[first : first + BLOCK]), self.step
            )
            goes_on, columns = self.program.advance(values, self.step)
            assert columns is not None, "there is a stop left"
            if out is None:
                out = columns.new_empty(len(vertices), columns.shape[1])
            out[first : first + BLOCK] = columns
        self.step = goes_on
        assert out is not None, "there are vertices"
        return out


def _row_sizes(values: Values) -> Iterator[int]:
    """Bytes of one point in each value."""
    for value in values.values():
        if isinstance(value, Tensor):
            yield value[0].numel() * value.element_size()


def _cut(cells: Cells, columns: Tensor, tolerance: float, limit: int, backend: Backend) -> Cells:
    scale = float(max(columns.max(), -columns.min())) if columns.numel() else 0.0
    if not np.isfinite(scale):
        raise InputError("the network is not finite on the polygon; check its weights")
    cells = cut(cells, columns.numpy(), slack=tolerance * scale, backend=backend)
    if cells.count > limit:
        raise InputError(
            f"found {cells.count} regions so far, more than limit={limit}; use a smaller "
            "polygon or raise the limit"
        )
    return cells


def _cut_classes(
    cells: Cells, program: Program, plane: "Plane", tolerance: float, limit: int, backend: Backend
) -> Cells:
    """Where the largest output changes, by a tournament; where a single one changes sign."""
    known, values = 0, torch.zeros(0, dtype=torch.float64)
    rounds: Iterator[int] = iter(range(1, 2))
    k = 0
    while True:
        if len(cells.vertices) > known:
            new = program.output(plane.points(cells.vertices[known:]))
            values = torch.cat([values.reshape(known, new.shape[1]), new])
            if k == 0:
                rounds = iter(range(1, max(2, new.shape[1])))
            k, known = new.shape[1], len(cells.vertices)
        j = next(rounds, None)
        if j is None:
            return cells
        columns = values if k == 1 else values[:, j : j + 1] - values[:, :j].amax(1, keepdim=True)
        cells = _cut(cells, columns, tolerance, limit, backend)


def _polygon(polygon: Tensor | float | int) -> np.ndarray:
    """Corners counter-clockwise, checked to be convex."""
    if not isinstance(polygon, Tensor):
        r = float(polygon)
        polygon = torch.tensor([[-r, -r], [r, -r], [r, r], [-r, r]], dtype=torch.float64)
    x = polygon.detach().to("cpu", torch.float64).numpy()
    side = np.roll(x, -1, axis=0) - x
    after = np.roll(side, -1, axis=0)
    turn = side[:, 0] * after[:, 1] - side[:, 1] * after[:, 0]
    once = abs(np.arctan2(turn, (side * after).sum(axis=1)).sum()) < 7  # 2 pi, not 4 pi
    if len(x) < 3 or not once or not ((turn > 0).all() or (turn < 0).all()):
        raise InputError(
            f"expected a convex polygon with at least three corners in order, got {x.tolist()}"
        )
    return x if turn[0] > 0 else x[::-1].copy()


def _check_fit(program: Program, plane: "Plane", corners: np.ndarray) -> None:
    """The network takes the plane's inputs, and treats the rows of a batch one by one."""
    x = plane.points(corners)
    try:
        together = program.output(x)
    except (RuntimeError, ValueError, IndexError) as error:
        raise InputError(
            f"the network does not take inputs of shape {tuple(x.shape[1:])} ({error}); pass "
            "basis= with two inputs of the right shape that span the plane"
        ) from error
    if not bool(together.isfinite().all()):
        raise InputError(
            "the network is not finite at the corners of the polygon; check its weights"
        )
    alone = torch.cat([program.output(row[None]) for row in x])
    if together.shape != alone.shape or not torch.allclose(together, alone, rtol=1e-8, atol=1e-10):
        raise InputError(
            "the network mixes the rows of a batch, but must treat each row on its own"
        )
