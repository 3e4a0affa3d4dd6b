"""Marks of common data: rows of coordinates, readings with their intervals, repeated runs."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from corollary.core.figure import Band, Curve, Points, Role
from corollary.core.measurement import Reading
from corollary.core.numbers import Column

if TYPE_CHECKING:
    from torch import Tensor


def scatter(points: "Tensor", label: str, role: Role = "measured") -> Points:
    """Each row as a dot in the plane; complex numbers as well.

    Example:
        >>> import torch
        >>> scatter(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), "corners").y
        [2.0, 4.0]
    """
    x, y = (points.real, points.imag) if points.is_complex() else (points[:, 0], points[:, 1])
    return Points(x, y, label, role)


def unit_circle(label: str, role: Role = "predicted") -> Curve:
    """The unit circle."""
    turn = [2 * math.pi * k / 120 for k in range(121)]
    return Curve([math.sin(t) for t in turn], [math.cos(t) for t in turn], label, role)


def with_intervals(
    x: Column, readings: Sequence[Reading], label: str, role: Role = "measured"
) -> Points:
    """Each reading as a dot, with a bar if it has an interval."""
    values = [r.value for r in readings]
    if all(r.low == r.high for r in readings):
        return Points(x, values, label, role)
    return Points(x, values, label, role, [r.low for r in readings], [r.high for r in readings])


def over_runs(
    x: Column, runs: "Tensor", label: str, role: Role = "measured", *, share: float = 1.0
) -> Points:
    """The mean of each row of ``runs``, with a bar over the middle ``share`` of the row.

    Example:
        >>> import torch
        >>> over_runs([1, 2], torch.tensor([[1.0, 2.0, 6.0], [0.0, 0.0, 0.0]]), "loss").high
        [6.0, 0.0]
    """
    low, high = _ends(runs, share)
    return Points(x, runs.mean(dim=1), label, role, low, high)


def band_of_runs(
    x: Column, runs: "Tensor", label: str, role: Role = "measured", *, share: float = 1.0
) -> Band:
    """The middle ``share`` of each row of ``runs``, as a band over ``x``."""
    return Band(x, *_ends(runs, share), label, role)


def _ends(runs: "Tensor", share: float) -> tuple["Tensor", "Tensor"]:
    left = (1 - share) / 2
    return runs.quantile(left, dim=1), runs.quantile(1 - left, dim=1)
