"""Marks of rows, readings and repeated runs."""

import torch

from corollary.core import Reading
from corollary.core.dots import band_of_runs, over_runs, scatter, unit_circle, with_intervals


def test_complex_numbers_and_rows_are_dots_in_the_plane():
    rows = scatter(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), "rows")
    numbers = scatter(torch.tensor([1 + 2j, 3 + 4j]), "rows")
    assert (rows.x, rows.y) == (numbers.x, numbers.y) == ([1.0, 3.0], [2.0, 4.0])


def test_the_unit_circle_is_closed():
    circle = unit_circle("modulus 1")
    assert all(abs(x * x + y * y - 1) < 1e-12 for x, y in zip(circle.x, circle.y, strict=True))
    assert abs(circle.y[0] - circle.y[-1]) < 1e-12


def test_bars_span_the_runs_or_the_middle_of_them():
    runs = torch.arange(101.0)[None]
    assert over_runs([1], runs, "all").low == [0.0]
    middle = band_of_runs([1], runs, "middle", share=0.8)
    assert torch.allclose(torch.tensor([middle.low, middle.high]), torch.tensor([[10.0], [90.0]]))


def test_numbers_without_an_interval_have_no_bars():
    assert with_intervals([0], [Reading(1.0, 1.0, 1.0)], "exact").low is None
    assert with_intervals([0], [Reading(1.0, 0.5, 2.0)], "sampled").high == [2.0]
