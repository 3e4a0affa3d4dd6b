from itertools import product
from math import comb

import pytest
import torch

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.connectionism.separability import linear_separability
from corollary.theory.generalization.shattering import (
    growth,
    half_space_growth,
    half_spaces,
    half_spaces_through_origin,
    intervals,
    radon_partition,
    rectangles,
    sine_frequency,
    sine_labels,
    thresholds,
    unions_of_intervals,
    vc_dimension,
)


def cloud(n, d, seed=0):
    return torch.randn(n, d, generator=generator(seed, "cloud", n, d), dtype=torch.float64)


def draw(d):
    return lambda n, rng: torch.randn(n, d, generator=rng, dtype=torch.float64)


@pytest.mark.parametrize(("n", "d"), [(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 3), (7, 1)])
def test_enumeration_matches_the_closed_form_of_half_spaces(n, d):
    expected = 2 * sum(comb(n - 1, i) for i in range(d + 1))
    assert growth(half_spaces, cloud(n, d)) == half_space_growth(n, d) == expected


def test_half_planes_stop_at_four_points():
    """The notes' example says that 2^n does not continue past 4 points; it ends before."""
    assert [half_space_growth(n, 2) for n in range(1, 6)] == [2, 4, 8, 14, 22]
    assert [growth(half_spaces, cloud(n, 2, seed=3)) for n in (3, 4)] == [8, 14]


def test_the_labelings_of_half_planes_are_the_separable_ones():
    x = cloud(5, 2)
    found = {tuple(row) for row in half_spaces(x).tolist()}
    for labels in product((False, True), repeat=5):
        y = torch.tensor([1.0 if v else -1.0 for v in labels], dtype=torch.float64)
        assert linear_separability(x, y).separable == (labels in found)


@pytest.mark.parametrize("n", [1, 2, 3, 6, 9])
def test_growth_on_the_line_is_that_of_the_formulas(n):
    x = cloud(n, 1)
    assert growth(thresholds, x) == n + 1
    assert growth(intervals, x) == 1 + comb(n + 1, 2)
    assert growth(lambda p: unions_of_intervals(p, 2), x) == sum(
        comb(n + 1, 2 * i) for i in range(3)
    )


def test_equal_points_always_share_their_label():
    x = torch.tensor([[0.0], [1.0], [1.0]])
    for labelings in (thresholds, intervals):
        rows = labelings(x)
        assert bool((rows[:, 1] == rows[:, 2]).all())


def test_rectangles_are_found_by_brute_force_over_boxes():
    x = cloud(6, 2)
    sides = [sorted({*x[:, j].tolist(), -9.0, 9.0}) for j in (0, 1)]
    boxes = product(product(sides[0], repeat=2), product(sides[1], repeat=2))
    brute = {
        tuple(((x[:, 0] >= a) & (x[:, 0] <= b) & (x[:, 1] >= c) & (x[:, 1] <= e)).tolist())
        for (a, b), (c, e) in boxes
    }
    assert {tuple(row) for row in rectangles(x).tolist()} == brute


@pytest.mark.parametrize(
    ("labelings", "d", "dimension"),
    [
        (thresholds, 1, 1),
        (intervals, 1, 2),
        (half_spaces, 2, 3),
        (half_spaces_through_origin, 2, 2),
    ],
)
def test_the_search_finds_the_dimension_with_a_witness(labelings, d, dimension):
    found = vc_dimension(labelings, draw(d), 5, tries=5, rng=generator(0, "vc"))
    assert (found.dimension, found.refuted) == (dimension, 5)
    assert growth(labelings, found.witness) == 2**dimension


def test_rectangles_shatter_four_points_and_not_five():
    diamond = torch.tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    assert growth(rectangles, diamond) == 16
    for seed in range(20):
        assert growth(rectangles, cloud(5, 2, seed)) < 32


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_a_simplex_is_shattered_and_one_more_point_has_a_radon_partition(d):
    simplex = torch.cat([torch.zeros(1, d), torch.eye(d)]).double()
    assert growth(half_spaces, simplex) == 2 ** (d + 1)
    for seed in range(5):
        x = cloud(d + 2, d, seed)
        part = radon_partition(x)
        first, second = part.weights[part.first], part.weights[~part.first]
        assert float(first.sum()) == pytest.approx(1) == float(second.sum())
        meet = (second[:, None] * x[~part.first]).sum(dim=0)
        assert torch.allclose(meet, part.point, atol=1e-9)
        y = torch.where(part.first, 1.0, -1.0).double()
        assert not linear_separability(x, y).separable
        assert growth(half_spaces, x) < 2 ** (d + 2)


def test_radon_needs_enough_points():
    with pytest.raises(InputError, match="d \\+ 2"):
        radon_partition(cloud(3, 2))


@pytest.mark.parametrize("n", [1, 4, 8])
def test_one_sine_realises_every_labeling(n):
    for labels in product((False, True), repeat=n):
        row = torch.tensor(labels)
        assert torch.equal(sine_labels(sine_frequency(row), n), row)


def test_the_integer_labels_are_the_signs_of_the_sine():
    i = torch.arange(1, 13, dtype=torch.float64)
    for seed in range(10):
        row = torch.rand(12, generator=generator(seed, "row")) < 0.5
        k = sine_frequency(row)
        assert torch.equal(torch.sin(torch.pi * k * 2**-i) > 0, row)


def test_too_many_points_for_a_table_of_labelings_are_refused():
    with pytest.raises(InputError, match="n <= 20"):
        rectangles(cloud(21, 2))
    with pytest.raises(InputError, match="shape"):
        thresholds(cloud(3, 2))
