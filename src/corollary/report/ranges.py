"""The numbers that each mark puts on the axes, so that all of them are in view."""

from functools import singledispatch

from corollary.core.figure import (
    Band,
    Curve,
    Figure,
    Graph,
    HeatMap,
    Histogram,
    Image,
    Level,
    Mark,
    Points,
    Regions,
)
from corollary.core.numbers import Column
from corollary.report.axes import padded

Numbers = tuple[list[float], list[float]]
PAD = 0.045  # of the range, so that marks do not touch the frame


def ranges(figure: Figure) -> tuple[tuple[float, float], tuple[float, float]]:
    """The part of each axis that is shown."""
    found = [extent(mark) for mark in figure.marks]
    xs, ys = [v for x, _ in found for v in x], [v for _, y in found for v in y]
    filled = any(isinstance(m, HeatMap | Image | Regions) for m in figure.marks)
    pad = 0.0 if filled else PAD
    graph = any(isinstance(m, Graph) for m in figure.marks)
    x = padded(xs, log=figure.log_x, pad=2 * pad if graph else pad)
    y = padded(ys, log=figure.log_y, pad=3 * pad if graph else pad)
    if any(isinstance(m, Histogram) for m in figure.marks) and not figure.log_y:
        y = (min(0.0, *[v for v in ys if v == v], 0.0), y[1])  # bars stand on the axis
    return x, y


@singledispatch
def extent(mark: Mark) -> Numbers:
    """The numbers that the mark puts on x and on y."""
    raise TypeError(f"cannot draw a mark of type {type(mark).__name__}")


@extent.register
def _(mark: Curve) -> Numbers:
    return list(mark.x or ()), list(mark.y)


@extent.register
def _(mark: Points) -> Numbers:
    return list(mark.x), [*mark.y, *(mark.low or ()), *(mark.high or ())]


@extent.register
def _(mark: Band) -> Numbers:
    return list(mark.x), [*mark.low, *mark.high]


@extent.register
def _(mark: Level) -> Numbers:
    return ([], [mark.value]) if mark.axis == "y" else ([mark.value], [])


@extent.register
def _(mark: Histogram) -> Numbers:
    return list(mark.edges or ()), list(mark.values)


@extent.register(HeatMap)
@extent.register(Image)
def _(mark: HeatMap | Image) -> Numbers:
    return list(mark.x), list(mark.y)


@extent.register
def _(mark: Regions) -> Numbers:
    corners: list[Column] = [corner for polygon in mark.polygons for corner in polygon]
    return [c[0] for c in corners], [c[1] for c in corners]


@extent.register
def _(mark: Graph) -> Numbers:
    return list(mark.x), list(mark.y)
