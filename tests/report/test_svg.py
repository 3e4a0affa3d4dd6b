import dataclasses
import math
from xml.etree import ElementTree

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings

from corollary.core import Band, Curve, Figure, HeatMap, Histogram, Level, Points, Regions
from corollary.report.svg import figure_svg

SVG = "{http://www.w3.org/2000/svg}"
anything = st.floats(allow_nan=True, allow_infinity=True)
columns = st.integers(0, 12).flatmap(
    lambda n: st.tuples(*(st.lists(anything, min_size=n, max_size=n) for _ in range(3)))
)


def parsed(figure: Figure) -> ElementTree.Element:
    text = figure_svg(figure)
    assert "nan" not in text.replace("nance", "") and "inf" not in text.replace("info", "")
    return ElementTree.fromstring(text)


@pytest.mark.parametrize("logs", [(False, False), (True, False), (False, True), (True, True)])
def test_every_mark_is_well_formed_on_every_axis(figure, logs):
    log_x, log_y = logs
    root = parsed(dataclasses.replace(figure, log_x=log_x, log_y=log_y))
    assert root.tag == f"{SVG}svg" and root.get("role") == "img"
    assert root[0].tag == f"{SVG}title" and root[0].text == figure.title
    assert root[1].tag == f"{SVG}desc" and "x_1" in root[1].text


def test_equal_axes_have_units_of_equal_length():
    square = Figure("t", "x", "y", (Curve([0, 1], x=[0, 2]),), equal=True)
    inner = parsed(square).find(f"{SVG}svg")
    assert float(inner.get("width")) / float(inner.get("height")) == pytest.approx(2, rel=0.01)


@settings(max_examples=150, deadline=None)
@given(columns, st.booleans(), st.booleans(), st.booleans())
def test_awkward_numbers_are_gaps_not_crashes(data, log_x, log_y, equal):
    a, b, c = data
    marks = (Curve(b, x=a), Points(a, b, low=c, high=b), Band(a, b, c), Level(sum(a) if a else 0.0))
    parsed(Figure("t", "x", "y", marks, log_x=log_x, log_y=log_y, equal=equal))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(anything, min_size=3, max_size=3), min_size=1, max_size=4))
@example([[0.0, 0.0, 5e-324]])
def test_awkward_planes_are_drawn(rows):
    triangles = [[(0, 0), (row[0], 1), (1, row[1])] for row in rows]
    values = [row[2] for row in rows]
    parsed(Figure("t", "x", "y", (HeatMap(rows), Regions(triangles, values=values))))


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_is_escaped(title, label):
    parsed(Figure(title, label, title, (Curve([1, 2], label=label),), caption=title))


def test_a_gap_breaks_the_curve_and_a_lone_point_is_a_dot():
    svg = figure_svg(Figure("t", "x", "y", (Curve([1, 2, math.nan, 4, math.inf, 5, 6]),)))
    (path,) = [part for part in svg.split("<path") if 'stroke-width="1.8"' in part]
    assert path.count("M") == 3 and "h0" in path


def test_three_smooth_curves_take_less_than_four_kilobytes():
    x = [i / 100 for i in range(500)]
    curves = tuple(Curve([math.sin(k * v) for v in x], x=x, label=f"k = {k}") for k in (1, 2, 3))
    assert len(figure_svg(Figure("Sines", x="x", y="y", marks=curves)).encode()) < 4096


def test_colours_are_variables_with_a_fallback(figure):
    svg = figure_svg(figure)
    assert "currentColor" in svg
    assert "var(--" not in svg.replace("var(--predicted,#", "").replace(
        "var(--measured,#", ""
    ).replace("var(--paper,#", "").replace("var(--other-", "")


def test_bars_stand_on_the_axis():
    figure = Figure("t", "x", "y", (Histogram([1, 1, 2], edges=[0, 1, 2, 3]),))
    assert ">0<" in figure_svg(figure)


def test_a_page_can_tell_values_from_the_labels_and_ranges_of_a_figure():
    marks = (Curve([1.0, 10.0, 100.0], label="n^2"), Level(5.0, label="five"))
    figure = Figure("Growth", x="n", y="size", log_y=True, marks=marks)
    plot = parsed(figure).find(f"{SVG}svg")
    assert [g.get("data-l") for g in plot.iter(f"{SVG}g")] == ["five", "n²"]
    low, high, log = (float(v) for v in plot.get("data-y").split())
    assert low < 1.0 and high > 100.0 and log == 1
    assert plot.get("data-x").endswith(" 0")
