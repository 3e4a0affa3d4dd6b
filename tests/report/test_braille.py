"""Figures as dots."""

import math

import pytest

from corollary.core import Band, Curve, Figure, Graph, Histogram, Level, Points
from corollary.report.braille import Canvas, can_draw, figure_lines


def shown(*marks, columns=10, lines=3, **options):
    figure = Figure("Title", "x", "y", marks, **options)
    return [line.plain for line in figure_lines(figure, columns, lines)]


def dots(rows):
    """The dots of a picture as pairs of column and row, from the upper left corner."""
    order = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]
    return {
        (2 * i + right, 4 * j + down)
        for j, row in enumerate(rows)
        for i, sign in enumerate(row)
        for bit, (right, down) in enumerate(order)
        if ord(sign) - 0x2800 >> bit & 1
    }


def picture(lines, count=3):
    return [line.rpartition("│")[2].rpartition("┤")[2] for line in lines[1 : count + 1]]


def test_a_dot_is_where_unicode_has_it():
    canvas = Canvas(1, 1)
    canvas.dot(1, 3, "red")
    assert [row.plain for row in canvas.rows()] == ["\N{BRAILLE PATTERN DOTS-8}"]


@pytest.mark.parametrize("x", range(6))
@pytest.mark.parametrize("y", range(8))
def test_every_dot_can_be_set_alone(x, y):
    canvas = Canvas(3, 2)
    canvas.dot(x, y, "red")
    assert dots([row.plain for row in canvas.rows()]) == {(x, y)}


def test_a_diagonal_is_one_and_touches_both_corners_of_its_range():
    found = dots(picture(shown(Curve([0, 1, 2, 3]))))
    rows = {}
    for x, y in found:
        rows.setdefault(x, []).append(y)
    tops = [min(rows[x]) for x in sorted(rows)]
    assert tops == sorted(tops, reverse=True) and len(rows) > 15


def test_a_level_crosses_the_picture_at_its_height():
    found = dots(picture(shown(Level(5.0), Curve([0.0, 10.0]))))
    assert len({y for _, y in dots(picture(shown(Level(5.0), Points([0, 1], [0, 10]))))}) >= 3
    assert {x for x, _ in found} >= set(range(0, 18, 2))


def test_what_has_no_place_is_a_gap_and_not_an_error():
    lines = shown(Curve([1.0, math.nan, math.inf, 10.0]), Points([1, 2], [0.0, -1.0]), log_y=True)
    assert lines[0] == "Title"


def test_bars_stand_on_the_axis_and_bands_have_two_edges():
    assert dots(picture(shown(Histogram([0.1, 0.2, 0.2, 0.9], bins=4))))
    assert len({y for _, y in dots(picture(shown(Band([0, 1], [0, 0], [1, 1]))))}) == 2


def test_the_legend_names_every_mark_and_ticks_are_round_numbers():
    lines = shown(Curve([0, 1], label="a"), Points([0], [0.5], label="b"), columns=40, lines=9)
    assert lines[-2].endswith("⠒⠒ a") and lines[-1].endswith("⠶ b")
    assert any(line.lstrip().startswith("0.5 ┤") for line in lines)


def test_a_graph_has_no_drawing_in_dots():
    assert not can_draw(Figure("t", "x", "y", (Graph([0, 1], [0, 1], [(0, 1)]),)))
