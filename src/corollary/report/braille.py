"""Figures in a terminal: curves, points, levels, bands and bars as dots of braille characters.

A character has two by four dots, so 60 by 10 characters are a picture of 120 by 40 dots.
"""

from collections.abc import Iterator, Sequence
from functools import singledispatch

from rich.text import Text

from corollary.core.figure import Band, Curve, Figure, Histogram, Level, Mark, Points
from corollary.report.axes import Axis, Plot
from corollary.report.inks import Ink, inks
from corollary.report.latex import scripts
from corollary.report.paths import Pixel
from corollary.report.ranges import ranges
from corollary.report.ticks import labels

DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))  # of a character, by column and row
BLANK = 0x2800
DRAWN = (Band, Curve, Histogram, Level, Points)


class Canvas:
    """Dots on a plane of characters; the last mark to touch a character colours it."""

    def __init__(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self.masks = [[0] * columns for _ in range(lines)]
        self.colours = [[""] * columns for _ in range(lines)]

    def dot(self, x: float, y: float, colour: str) -> None:
        """Set the dot nearest to (x, y), counted from the upper left corner."""
        i, j = round(x), round(y)
        if 0 <= i < 2 * self.columns and 0 <= j < 4 * self.lines:
            self.masks[j // 4][i // 2] |= DOTS[i % 2][j % 4]
            self.colours[j // 4][i // 2] = colour

    def line(self, run: Sequence[Pixel], colour: str, every: int = 1) -> None:
        """Dots along a path; a dashed path leaves some out."""
        for (a, b), (c, d) in zip(run, run[1:] or run, strict=False):
            steps = int(max(abs(c - a), abs(d - b), 1.0))
            for k in range(0, steps + 1, every):
                self.dot(a + (c - a) * k / steps, b + (d - b) * k / steps, colour)

    def rows(self) -> Iterator[Text]:
        """The lines of characters."""
        for masks, colours in zip(self.masks, self.colours, strict=True):
            cells = zip(masks, colours, strict=True)
            yield Text.assemble(*((chr(BLANK + mask), colour) for mask, colour in cells))


def can_draw(figure: Figure) -> bool:
    """Whether every mark can be drawn in braille; maps and graphs cannot."""
    return all(isinstance(mark, DRAWN) for mark in figure.marks)


def figure_lines(figure: Figure, columns: int = 60, lines: int = 10) -> Iterator[Text]:
    """The figure as lines of text: title, picture with ticks, names of the axes, legend."""
    (left, right), (low, high) = ranges(figure)
    x = Axis(left, right, 2 * columns - 1, figure.log_x, figure.names)
    y = Axis(low, high, 4 * lines - 1, figure.log_y)
    canvas, colours = Canvas(columns, lines), [_colour(ink) for ink in inks(figure)]
    for mark, colour in zip(figure.marks, colours, strict=True):
        draw(mark, canvas, Plot(x, y), colour)
    ticks = {int((y.length - place) / 4): label for place, label in _ticks(y, lines // 3)}
    gutter = max(map(len, ticks.values()), default=0)
    yield Text(scripts(figure.title), style="bold")
    for k, row in enumerate(canvas.rows()):
        edge = f"{ticks.get(k, '').rjust(gutter)} {'┤' if k in ticks else '│'}"
        yield Text.assemble((edge, "dim"), row)
    yield Text(" " * (gutter + 2) + _tick_line(x, columns), style="dim")
    yield Text(f"{'':{gutter + 2}}x: {scripts(figure.x)}, y: {scripts(figure.y)}", style="dim")
    for mark, colour in zip(figure.marks, colours, strict=True):
        if label := getattr(mark, "label", ""):
            yield Text.assemble(" " * (gutter + 2), (_sample(mark), colour), " ", scripts(label))


def _ticks(axis: Axis, count: int) -> list[tuple[float, str]]:
    """Places and labels of the ticks."""
    values = axis.ticks(max(2, count))[0]
    written = list(axis.names) or labels(values, log=axis.log)
    places = [axis.place(value) for value in values]
    return [(p, label) for p, label in zip(places, written, strict=True) if p is not None]


def _tick_line(axis: Axis, columns: int) -> str:
    """Labels below the picture, each at its tick; one that would touch another is left out."""
    line = ""
    for place, label in _ticks(axis, columns // 12):
        start = min(max(0, int(place / 2) - len(label) // 2), columns - len(label))
        if start > len(line) or not line:
            line = line.ljust(start) + label
    return line


def _sample(mark: Mark) -> str:
    """A piece of the mark, for the legend."""
    if isinstance(mark, Histogram):
        return "⣿⣿"
    if isinstance(mark, Points):
        return " ⠶"
    return "⠂⠂" if isinstance(mark, Band | Level) or getattr(mark, "dashed", False) else "⠒⠒"


def _colour(ink: Ink) -> str:
    """The colour of a report, without the variable of its style sheet."""
    return ink.colour.rstrip(")").rpartition(",")[2]


@singledispatch
def draw(mark: Mark, canvas: Canvas, plot: Plot, colour: str) -> None:
    """Set the dots of a mark."""
    raise TypeError(f"cannot draw a mark of type {type(mark).__name__}")


@draw.register
def _(mark: Curve, canvas: Canvas, plot: Plot, colour: str) -> None:
    for run in plot.runs(mark.x or (), mark.y):
        canvas.line(run, colour, 3 if mark.dashed else 1)


@draw.register
def _(mark: Points, canvas: Canvas, plot: Plot, colour: str) -> None:
    for x, y in zip(mark.x, mark.y, strict=True):
        place = plot.at(x, y)
        if place is not None:
            for right, down in ((0, 0), (1, 0), (0, 1), (1, 1)):
                canvas.dot(int(place[0]) + right, int(place[1]) + down, colour)


@draw.register
def _(mark: Band, canvas: Canvas, plot: Plot, colour: str) -> None:
    for edge in (mark.low, mark.high):
        for run in plot.runs(mark.x, edge):
            canvas.line(run, colour, 2)


@draw.register
def _(mark: Level, canvas: Canvas, plot: Plot, colour: str) -> None:
    axis = plot.y if mark.axis == "y" else plot.x
    place = axis.place(mark.value)
    if place is not None:
        width, height = plot.x.length, plot.y.length
        across = ((0.0, height - place), (width, height - place))
        canvas.line(across if mark.axis == "y" else ((place, 0.0), (place, height)), colour, 2)


@draw.register
def _(mark: Histogram, canvas: Canvas, plot: Plot, colour: str) -> None:
    edges = list(mark.edges or ())
    for left, right, value in zip(edges, edges[1:], mark.values, strict=False):
        across, top, width, height = plot.box((left, right), (0.0, value))
        for x in range(int(across), int(across + width)):
            canvas.line([(x, top), (x, top + height)], colour)
