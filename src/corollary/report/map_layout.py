"""The layout of the map: chapters are lanes, and each claim is to the right of those it uses.

The column of a claim is the length of the longest chain below it, so every line leads to the
right. Within a lane and a column, claims are sorted by the height of their neighbours, in a few
sweeps; that keeps lines short.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from corollary.courses.dependencies import Graph

WIDTH, HEIGHT = 178, 22  # of a claim
GAP, LANE_GAP = 64, 26  # between columns, between lanes
STACK = 7  # claims of one lane above each other; more stand beside them
SWEEPS = 6


@dataclass(frozen=True)
class Layout:
    """Places in pixels: the left upper corner of each claim, and the lanes."""

    at: Mapping[str, tuple[float, float]]
    lanes: Mapping[str, tuple[float, float]]  # of each chapter: top and height
    width: float
    height: float


def layout(graph: Graph, areas: Sequence[str]) -> Layout:
    """The places of all claims; the chapters are lanes in this order."""
    cells: dict[tuple[str, int], list[str]] = defaultdict(list)
    for name in graph.order:
        cells[name.split("/")[0], graph.depth[name]].append(name)
    left = _columns(cells)
    lanes = _lanes(cells, areas)
    at = _placed(cells, left, lanes)
    for _ in range(SWEEPS):
        for cell in cells.values():
            cell.sort(key=lambda name: (_neighbours(graph, name, at), name))
        at = _placed(cells, left, lanes)
    bottom = max((top + high for top, high in lanes.values()), default=0)
    right = max((x for x, _ in at.values()), default=0) + WIDTH
    return Layout(at, lanes, right, bottom)


def _columns(cells: Mapping[tuple[str, int], list[str]]) -> dict[int, float]:
    """The left edge of each column; one with a tall cell is as wide as the stacks it needs."""
    wide: dict[int, int] = defaultdict(int)
    for (_, depth), names in cells.items():
        wide[depth] = max(wide[depth], -(-len(names) // STACK))
    left, x = dict[int, float](), 0.0
    for depth in sorted(wide):
        left[depth] = x
        x += wide[depth] * (WIDTH + 12) - 12 + GAP
    return left


def _lanes(
    cells: Mapping[tuple[str, int], list[str]], areas: Sequence[str]
) -> dict[str, tuple[float, float]]:
    lanes, y = dict[str, tuple[float, float]](), 0.0
    for area in areas:
        rows = max((min(STACK, len(n)) for (a, _), n in cells.items() if a == area), default=0)
        if rows:
            lanes[area] = (y, rows * (HEIGHT + 6) - 6)
            y += lanes[area][1] + LANE_GAP
    return lanes


def _placed(
    cells: Mapping[tuple[str, int], list[str]],
    left: Mapping[int, float],
    lanes: Mapping[str, tuple[float, float]],
) -> dict[str, tuple[float, float]]:
    at = {}
    for (area, depth), names in cells.items():
        stacks = -(-len(names) // STACK)
        for k, name in enumerate(names):
            row, stack = divmod(k, stacks)
            rows = -(-len(names) // stacks)
            top = lanes[area][0] + (lanes[area][1] - rows * (HEIGHT + 6) + 6) / 2
            at[name] = (left[depth] + stack * (WIDTH + 12), top + row * (HEIGHT + 6))
    return at


def _neighbours(graph: Graph, name: str, at: Mapping[str, tuple[float, float]]) -> float:
    near = [at[other][1] for other in (*graph.uses[name], *graph.used_by[name])]
    return fmean(near) if near else at[name][1] + 1e4  # what stands alone goes to the bottom
