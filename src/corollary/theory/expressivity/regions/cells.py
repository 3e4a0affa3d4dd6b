"""Convex polygons over one table of vertices, and the edges between them."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int


@dataclass(frozen=True, eq=False)
class Cells:
    """Polygon p has the corners ``corner[start[p]:start[p + 1]]``, counter-clockwise.

    Neighbours share their corners: the cells are a subdivision, every inner edge has two sides.
    """

    vertices: Float[np.ndarray, "v 2"]
    start: Int[np.ndarray, " p1"]
    corner: Int[np.ndarray, " slots"]

    @property
    def count(self) -> int:
        """How many polygons."""
        return len(self.start) - 1

    @property
    def sizes(self) -> Int[np.ndarray, " p"]:
        """Corners of each polygon."""
        return np.diff(self.start)

    @property
    def owner(self) -> Int[np.ndarray, " slots"]:
        """The polygon of each slot."""
        return np.repeat(np.arange(self.count), self.sizes)

    def next_corner(self) -> Int[np.ndarray, " slots"]:
        """The corner that follows each slot's own, going round."""
        following = np.empty_like(self.corner)
        following[:-1] = self.corner[1:]
        following[self.start[1:] - 1] = self.corner[self.start[:-1]]
        return following

    def areas(self) -> Float[np.ndarray, " p"]:
        """Area of each polygon, by the shoelace formula about its first corner."""
        first = self.vertices[np.repeat(self.corner[self.start[:-1]], self.sizes)]
        a = self.vertices[self.corner] - first
        b = self.vertices[self.next_corner()] - first
        return np.add.reduceat(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], self.start[:-1]) / 2

    def centres(self) -> Float[np.ndarray, "p 2"]:
        """The mean of the corners of each polygon: a point inside it."""
        sums = np.add.reduceat(self.vertices[self.corner], self.start[:-1], axis=0)
        means: np.ndarray = sums / self.sizes[:, None]
        return means

    def edges(
        self,
    ) -> tuple[Int[np.ndarray, " e"], Int[np.ndarray, " e"], Int[np.ndarray, " slots"]]:
        """Both ends of each edge, smaller first, and the edge that starts at each slot.

        Cost: one sort of the slots.
        """
        following = self.next_corner()
        low, high = np.minimum(self.corner, following), np.maximum(self.corner, following)
        keys, edge = np.unique(low * len(self.vertices) + high, return_inverse=True)
        return keys // len(self.vertices), keys % len(self.vertices), edge

    def take(self, chosen: Int[np.ndarray, " q"]) -> "Cells":
        """The polygons with these numbers, over the same vertices."""
        sizes = self.sizes[chosen]
        start = np.concatenate([[0], np.cumsum(sizes)])
        shift = np.repeat(self.start[:-1][chosen] - start[:-1], sizes)
        return Cells(self.vertices, start, self.corner[shift + np.arange(start[-1])])

    def without_orphans(self) -> "Cells":
        """The same polygons over the vertices they use."""
        used = np.zeros(len(self.vertices), dtype=bool)
        used[self.corner] = True
        if used.all():
            return self
        number = np.cumsum(used) - 1
        return Cells(self.vertices[used], self.start, number[self.corner])


def gathered(vertices: Float[np.ndarray, "v 2"], parts: list[Cells]) -> Cells:
    """The polygons of all parts, whose corners are rows of ``vertices``."""
    sizes = np.concatenate([part.sizes for part in parts])
    start = np.concatenate([[0], np.cumsum(sizes)])
    return Cells(vertices, start, np.concatenate([part.corner for part in parts]))
