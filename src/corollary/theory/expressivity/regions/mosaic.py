r"""The linear regions of a network on a plane: polygons with their patterns and affine maps."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int, Shaped
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.expressivity.regions.cells import Cells
from corollary.theory.expressivity.regions.program import Program
from corollary.theory.wording import sizes, span


@dataclass(frozen=True)
class Plane:
    """The inputs ``origin + p @ basis`` for points p of the plane."""

    origin: Float[Tensor, " *shape"]
    basis: Float[Tensor, "2 *shape"]

    def __repr__(self) -> str:
        return f"plane through an input of shape {sizes(self.origin)}"

    @classmethod
    def through(
        cls, origin: Shaped[Tensor, " *shape"] | None, basis: Shaped[Tensor, "2 *shape"] | None
    ) -> "Plane":
        """The plane through an input, spanned by two others; the plane itself if absent."""
        basis = torch.eye(2) if basis is None else basis
        basis = basis.detach().to("cpu", torch.float64)
        start = torch.zeros_like(basis[0]) if origin is None else origin
        start = start.detach().to("cpu", torch.float64)
        if basis.shape[:1] != (2,) or basis.shape[1:] != start.shape:
            raise InputError(
                "basis needs two inputs with the shape of the origin, but basis has shape "
                f"{tuple(basis.shape)} and origin {tuple(start.shape)}"
            )
        if np.linalg.matrix_rank(basis.flatten(1).numpy()) < 2:
            raise InputError("the two inputs of basis are parallel, so they span no plane")
        return cls(start, basis)

    def points(self, p: Float[np.ndarray, "n 2"]) -> Float[Tensor, "n *shape"]:
        """Points of the plane as inputs."""
        q = torch.from_numpy(np.ascontiguousarray(p))
        x: Tensor = self.origin + torch.tensordot(q, self.basis, 1)
        return x


class AffineMaps(NamedTuple):
    """On region r the network is ``slope[r] @ p + offset[r]``."""

    slope: Float[Tensor, "r k 2"]
    offset: Float[Tensor, "r k"]

    def __repr__(self) -> str:
        regions, outputs, _ = self.slope.shape
        return f"affine maps of {regions} regions to {outputs} outputs, slopes {span(self.slope)}"


class Neighbours(NamedTuple):
    """Regions that share an edge, the edge's end points, and how many units tell them apart."""

    pairs: Int[Tensor, "e 2"]
    segments: Float[Tensor, "e 2 2"]
    hamming: Int[Tensor, " e"]

    def __repr__(self) -> str:
        return (
            f"{len(self.pairs)} pairs of neighbours; units that tell them apart: "
            f"{span(self.hamming)}"
        )


@dataclass(frozen=True)
class AffineRegions:
    """Maximal connected unions of cells on which the network is one affine map."""

    label: Int[Tensor, " r"]  # the region that each cell of the mosaic belongs to
    maps: AffineMaps  # of each region
    areas: Float[Tensor, " g"]
    bends: Float[Tensor, "e 2 2"]  # the edges between regions, where the network bends

    @property
    def count(self) -> int:
        """Number of regions."""
        return len(self.areas)


@dataclass(frozen=True)
class Mosaic:
    """What :func:`linear_regions` gives."""

    cells: Cells
    program: Program
    plane: Plane
    tolerance: float
    decision: bool

    def __repr__(self) -> str:
        areas = self.areas()
        return (
            f"{self.count} linear regions on a polygon of area {float(areas.sum()):.4g}: areas "
            f"{span(areas)}, median {float(areas.median()):.2g}"
        )

    @property
    def count(self) -> int:
        """Number of regions."""
        return self.cells.count

    def __len__(self) -> int:
        return self.count

    def polygons(self) -> list[list[list[float]]]:
        """Corners of each region, as lists: what a figure wants."""
        points = self.cells.vertices[self.cells.corner].tolist()
        ends = self.cells.start.tolist()
        return [points[a:b] for a, b in zip(ends, ends[1:], strict=False)]

    def areas(self) -> Float[Tensor, " r"]:
        """Area of each region in the plane's coordinates."""
        return torch.from_numpy(self.cells.areas())

    def centres(self) -> Float[Tensor, "r 2"]:
        """A point inside each region."""
        return torch.from_numpy(self.cells.centres())

    def patterns(self) -> Int[Tensor, "r units"]:
        """Activation pattern of each region: 1 above a threshold, or the winner of a window."""
        inside = self.plane.points(self.cells.centres())
        return self.program.pattern(inside, tolerance=self.tolerance)

    def classes(self) -> Int[Tensor, " r"]:
        """Predicted class in the middle of each region; constant on it if ``decision`` was set."""
        out = self.program.output(self.plane.points(self.cells.centres()))
        return out.argmax(dim=1) if out.shape[1] > 1 else (out[:, 0] > 0).long()

    def maps(self) -> AffineMaps:
        """The affine map of each region, by the network's derivative in its middle."""
        p = torch.from_numpy(self.cells.centres())
        x = self.plane.points(p.numpy())
        network = self.program.traced
        slopes = []
        for direction in self.plane.basis:
            tangent = direction.expand_as(x).contiguous()
            value, slope = torch.func.jvp(network, (x,), (tangent,))[:2]
            slopes.append(slope)
        slope = torch.stack(slopes, dim=2)
        return AffineMaps(slope, value - (slope @ p[:, :, None])[:, :, 0])

    def neighbours(self) -> Neighbours:
        """Pairs of regions with a common edge. Across a generic edge one unit changes."""
        low, high, edge = self.cells.edges()
        owner, order = self.cells.owner, np.argsort(edge, kind="stable")
        sorted_edge = edge[order]
        twin = np.flatnonzero(sorted_edge[1:] == sorted_edge[:-1])
        pairs = np.stack([owner[order[twin]], owner[order[twin + 1]]], axis=1)
        shared = sorted_edge[twin]
        ends = np.stack([self.cells.vertices[low[shared]], self.cells.vertices[high[shared]]], 1)
        pattern, a = self.patterns(), torch.from_numpy(pairs)
        return Neighbours(
            a, torch.from_numpy(ends), (pattern[a[:, 0]] != pattern[a[:, 1]]).sum(dim=1)
        )

    def boundary(self) -> Float[Tensor, "s 2 2"]:
        """The decision boundary as segments; the regions must have been cut with ``decision``."""
        if not self.decision:
            raise InputError("the boundary needs linear_regions(..., decision=True)")
        pairs, segments, _ = self.neighbours()
        label = self.classes()
        return segments[label[pairs[:, 0]] != label[pairs[:, 1]]]

    def merged_by_affine_map(self, tolerance: float = 1e-9) -> AffineRegions:
        r"""Neighbouring cells with equal maps as one region, which need not be convex.

        Cells differ in their pattern, and the network need not bend where that changes: a unit may
        have no effect, or two bends may cancel. Regions with equal maps that do not touch along an
        edge stay apart.

        Args:
            tolerance: Slopes are equal up to this share of the largest one.

        Example:
            >>> from corollary.theory.expressivity.regions.plane import linear_regions
            >>> split = torch.nn.Linear(2, 2, bias=False)
            >>> _ = split.weight.data.copy_(torch.tensor([[1.0, 0.0], [-1.0, 0.0]]))
            >>> both = torch.nn.Linear(2, 1)
            >>> _ = both.weight.data.copy_(torch.tensor([[1.0, -1.0]]))  # relu(x) - relu(-x) = x
            >>> mosaic = linear_regions(torch.nn.Sequential(split, torch.nn.ReLU(), both))
            >>> mosaic.count, mosaic.merged_by_affine_map().count
            (2, 1)

        :source: Hanin and Rolnick (2019), "Deep ReLU networks have surprisingly few activation
            patterns", Section 2: linear regions are unions of activation regions.
        """
        if not 0 <= tolerance < 1:
            raise InputError(f"expected a tolerance between 0 and 1, got {tolerance}")
        slope, offset = self.maps()
        pairs, segments, _ = self.neighbours()
        a, b = pairs.unbind(1)
        # on the common edge both maps agree, so that equal slopes make them equal
        gap = (slope[a] - slope[b]).abs().amax((1, 2))
        same = gap <= tolerance * slope.abs().max()
        links = coo_array(
            (np.ones(int(same.sum())), pairs[same].T.numpy()), shape=(self.count,) * 2
        )
        count, found = connected_components(links, directed=False)
        areas, cell = self.areas(), np.empty(count, dtype=np.int64)
        order = areas.argsort().numpy()
        cell[found[order]] = order  # the last one stays: the largest cell stands for its region
        label = torch.from_numpy(found).long()
        total = torch.zeros(count, dtype=areas.dtype).scatter_add(0, label, areas)
        maps = AffineMaps(slope[cell], offset[cell])
        return AffineRegions(label, maps, total, segments[label[a] != label[b]])

    def merged(self) -> "Mosaic":
        """Cells with one pattern (and one class) as one region; it is convex.

        A tournament over more than two entries cuts where two losers change places.
        """
        key = self.patterns().numpy()
        if self.decision:
            key = np.concatenate([key, self.classes().numpy()[:, None]], axis=1)
        _, group = np.unique(key, axis=0, return_inverse=True)
        group = group.reshape(-1)
        if len(group) == group.max() + 1:
            return self
        start, corner = _united(self.cells, group)
        cells = Cells(self.cells.vertices, start, corner).without_orphans()
        return Mosaic(cells, self.program, self.plane, self.tolerance, self.decision)


def _united(cells: Cells, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The outline of each group: edges that two cells of one group share are dropped."""
    following = cells.next_corner()
    owner = group[cells.owner]
    n = len(cells.vertices)
    forward = (owner * n + cells.corner) * n + following  # each cell runs counter-clockwise
    backward = (owner * n + following) * n + cells.corner
    outline = ~np.isin(forward, backward)
    after = {
        (g, a): b
        for g, a, b in zip(owner[outline], cells.corner[outline], following[outline], strict=True)
    }
    first: dict[int, int] = {}
    for g, a in after:
        first.setdefault(g, a)
    start, corner = [0], []
    for g in range(int(group.max()) + 1):
        a = first[g]
        while True:
            corner.append(a)
            a = after[g, a]
            if a == first[g]:
                break
        start.append(len(corner))
    return np.array(start), np.array(corner)
