r"""Regions that hyperplanes :math:`\langle w_i, x\rangle + b_i = 0` make in the whole of space.

:source: Perez Jensen (2025), Deep Learning, Section 2.5; Zaslavsky (1975), "Facing up to
    arrangements: face-count formulas for partitions of space by hyperplanes".
"""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_at_least, check_positive


class ArrangementCells(NamedTuple):
    """The full-dimensional cells of an arrangement, each with its pattern and a point inside."""

    patterns: Bool[Tensor, "cells m"]  # True where w_i x + b_i > 0
    inside: Float[Tensor, "cells n"]


def count_regions(
    W: Float[Tensor, "m n"], b: Float[Tensor, " m"], *, tolerance: float = 1e-9
) -> int:
    r"""Count the regions by deletion and restriction.

    Taking the hyperplane H away from the arrangement A joins as many pairs of regions as the others
    make *inside* H:

    .. math:: r(A) = r(A \setminus H) + r(A^H) .

    Cost: about as many steps as there are regions; a zero row divides nothing.

    Example:
        >>> W = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]).double()
        >>> count_regions(W, torch.tensor([0.0, 0.0, -1.0]).double())  # general position
        7
        >>> count_regions(W, torch.zeros(3).double())  # three lines through one point
        6
    """
    _check(W, b)
    check_at_least("tolerance", tolerance, 0)
    planes = np.concatenate([W.detach().numpy(), b.detach().numpy()[:, None]], axis=1)
    return _regions(planes, tolerance)


def in_general_position(
    W: Float[Tensor, "m n"], b: Float[Tensor, " m"], *, tolerance: float = 1e-9
) -> bool:
    """Whether any n of the normals are independent and no n + 1 hyperplanes meet in a point.

    For m <= n: whether all normals are independent. Cost: all choices of n + 1 rows.

    Example:
        >>> W = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]).double()
        >>> in_general_position(W, torch.tensor([0.0, 0.0, -1.0]).double())
        True
        >>> in_general_position(W, torch.zeros(3).double())
        False
    """
    _check(W, b)
    m, n = W.shape
    scale = torch.cat([W, b[:, None]], dim=1).norm(dim=1, keepdim=True).clamp(min=1e-300)
    unit = torch.cat([W, b[:, None]], dim=1) / scale
    free = torch.combinations(torch.arange(m), min(n, m))
    sizes = torch.linalg.svdvals(unit[free][:, :, :n])[:, -1]
    if m <= n:
        return bool((sizes > tolerance).all())
    points = torch.combinations(torch.arange(m), n + 1)
    meet = torch.linalg.svdvals(unit[points])[:, -1]
    return bool((sizes > tolerance).all() and (meet > tolerance).all())


def enumerate_cells(
    W: Float[Tensor, "m n"], b: Float[Tensor, " m"], *, radius: float = 1e6
) -> ArrangementCells:
    r"""The cells of one ReLU layer, by a linear program for each side of each new hyperplane.

    A side is kept if it holds a ball: maximise r with :math:`\pm(\langle w_i, x\rangle + b_i) \ge
    r\|w_i\|`. Cost: at most two programs for each cell and hyperplane.

    Args:
        W: Normals, one per row.
        b: Offsets.
        radius: Cells are looked for in :math:`|x_j| \le` radius.

    Example:
        >>> cells = enumerate_cells(torch.eye(2).double(), torch.zeros(2).double())
        >>> sorted(cells.patterns.int().tolist())
        [[0, 0], [0, 1], [1, 0], [1, 1]]

    :source: Perez Jensen (2025), Deep Learning, Section 2.5.
    """
    _check(W, b)
    check_positive("radius", radius)
    w, off = W.detach().numpy(), b.detach().numpy()
    patterns, inside = [np.zeros(0, dtype=bool)], [np.zeros(w.shape[1])]
    for i in range(len(w)):
        grown = []
        for pattern, x in zip(patterns, inside, strict=True):
            for on in (False, True):
                signs = np.append(pattern, on)
                here = w[i] @ x + off[i]
                easy = abs(here) > 1e-7 * np.linalg.norm(w[i]) and (here > 0) == on
                point = x if easy else _centre(w[: i + 1], off[: i + 1], signs, radius)
                if point is not None:
                    grown.append((signs, point))
        patterns, inside = [g[0] for g in grown], [g[1] for g in grown]
    return ArrangementCells(
        torch.from_numpy(np.stack(patterns)), torch.from_numpy(np.stack(inside)).to(W.dtype)
    )


def _centre(w: np.ndarray, b: np.ndarray, signs: np.ndarray, radius: float) -> np.ndarray | None:
    """The centre of the largest ball in a cell, or nothing if there is none."""
    from scipy.optimize import linprog

    side = np.where(signs, 1.0, -1.0)
    norms = np.linalg.norm(w, axis=1)
    if ((norms == 0) & ((b > 0) != signs)).any():
        return None  # a constant unit has one side only
    n = w.shape[1]
    rows = np.concatenate([-side[:, None] * w, norms[:, None]], axis=1)
    bounds = [(-radius, radius)] * n + [(0, 1.0)]
    limits = (side * b)[norms > 0]
    found = linprog(-np.eye(n + 1)[-1], A_ub=rows[norms > 0], b_ub=limits, bounds=bounds)
    return found.x[:n] if found.success and found.x[-1] > 1e-9 else None


def _regions(planes: np.ndarray, tolerance: float) -> int:
    planes = _distinct(planes, tolerance)
    if len(planes) == 0:
        return 1
    if planes.shape[1] == 2:  # points of a line
        return len(planes) + 1
    *rest, last = planes
    others = np.array(rest).reshape(-1, planes.shape[1])
    return _regions(others, tolerance) + _regions(_restricted(others, last), tolerance)


def _restricted(planes: np.ndarray, last: np.ndarray) -> np.ndarray:
    """The other hyperplanes inside ``last``, in coordinates of it: solve for its largest entry."""
    k = int(np.abs(last[:-1]).argmax())
    return np.delete(planes - planes[:, k : k + 1] * (last / last[k]), k, axis=1)


def _distinct(planes: np.ndarray, tolerance: float) -> np.ndarray:
    """Hyperplanes that divide, each once: no zero normals, no repetitions."""
    normals = np.linalg.norm(planes[:, :-1], axis=1)
    sizes = np.linalg.norm(planes, axis=1)
    planes = planes[normals > tolerance * np.maximum(sizes, 1e-300)]
    unit = planes / np.linalg.norm(planes, axis=1, keepdims=True)
    alike = np.abs(unit @ unit.T)
    # Rows u, v are one hyperplane iff |<u, v>| = 1; the distance of the lines is sqrt(2 - 2|uv|).
    repeated = np.triu(alike > 1 - tolerance**1.5, k=1).any(axis=0)
    distinct: np.ndarray = planes[~repeated]
    return distinct


def _check(W: Tensor, b: Tensor) -> None:
    if W.shape[0] != b.shape[0] or W.shape[0] == 0 or W.shape[1] == 0:
        raise InputError(
            "an arrangement needs one normal and one offset per hyperplane, but W has shape "
            f"{tuple(W.shape)} and b {tuple(b.shape)}"
        )
    if not bool(W.isfinite().all() and b.isfinite().all()):
        raise InputError("normals and offsets must be finite")
