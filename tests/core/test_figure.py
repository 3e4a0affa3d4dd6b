import json
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from corollary.core import (
    Band,
    Curve,
    Figure,
    Graph,
    HeatMap,
    Histogram,
    Image,
    Level,
    Points,
    Regions,
)
from corollary.core.thinning import COLUMNS, thinned
from corollary.errors import InputError

MARKS = [
    Curve(torch.tensor([1.0, math.nan, math.inf]), label="curve"),
    Points([0, 1], [2, 3], low=[1, 2], high=[3, 4], label="points"),
    Band([0, 1], [0, 0], [1, 1], label="band"),
    Level(3, label="level", axis="x"),
    Histogram([1.0, 2.0, 2.0, 5.0], bins=3, label="histogram"),
    HeatMap(torch.eye(2), x=(0, 2), y=(-1, 1), label="heat map"),
    Image([[0, 1], [1, 0]], label="image"),
    Regions([[(0, 0), (1, 0), (0, 1)]], values=[1.0], label="regions"),
    Graph([0, 1], [0, 1], edges=[(0, 1)], weights=[0.5], names=("a", "b"), label="graph"),
]


@pytest.mark.parametrize("mark", MARKS, ids=lambda m: type(m).__name__)
def test_every_mark_survives_json(mark):
    figure = Figure("f", x="x", y="y", marks=(mark,), log_y=True, caption="c")
    text = json.dumps(figure.to_json(), allow_nan=False)
    again = Figure.from_json(json.loads(text))
    assert json.dumps(again.to_json()) == text


def test_columns_of_different_length_are_refused_by_name():
    with pytest.raises(InputError, match="Curve 'loss' needs columns of one length"):
        Curve([1, 2, 3], x=[1, 2], label="loss")


def test_a_figure_needs_a_mark():
    with pytest.raises(InputError, match="at least one mark"):
        Figure("empty", x="x", y="y", marks=())


@given(st.integers(700, 5000), st.integers(0, 2**32))
def test_thinning_keeps_ends_and_extremes(n, seed):
    values = torch.randn(n, generator=torch.Generator().manual_seed(seed)).tolist()
    x, y = thinned([float(i) for i in range(len(values))], values)
    assert len(y) <= 2 * COLUMNS + 2
    assert (x[0], x[-1]) == (0.0, len(values) - 1.0)
    assert (min(y), max(y)) == (min(values), max(values))
    assert x == sorted(x)


def test_a_histogram_is_a_density():
    h = Histogram([0.0, 1.0, 1.5, 2.0, 9.0], bins=4)
    widths = [b - a for a, b in zip(h.edges, h.edges[1:], strict=False)]
    assert sum(v * w for v, w in zip(h.values, widths, strict=True)) == pytest.approx(1.0)
