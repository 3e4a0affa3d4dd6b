import random
from fractions import Fraction

import pytest

from corollary.errors import InputError
from corollary.theory.prerequisites.topology import (
    Interval,
    closure,
    finite_subcover,
    limit_points,
    rational_between,
)


@pytest.mark.parametrize("gap", [1.0, 1e-3, 1e-9, 1e-12])
def test_a_rational_lies_strictly_between_any_two_reals(gap):
    draw = random.Random(0)
    for _ in range(200):
        a = draw.uniform(-5, 5)
        b = a + gap * draw.uniform(0.5, 1)
        found = rational_between(a, b)
        assert isinstance(found, Fraction) and Fraction(a) < found < Fraction(b)


def test_there_is_nothing_between_a_number_and_itself():
    with pytest.raises(InputError, match="only if a < b"):
        rational_between(0.5, 0.5)
    with pytest.raises(InputError, match="must be finite"):
        rational_between(0.0, float("inf"))


def test_a_finite_subcover_covers():
    draw = random.Random(0)
    centres = [i / 200 for i in range(201)]
    cover = [(c - draw.uniform(0.01, 0.2), c + draw.uniform(0.01, 0.2)) for c in centres]
    found = finite_subcover(0, 1, cover)
    assert found.uncovered is None and len(found.chosen) < 15
    chosen = [cover[i] for i in found.chosen]
    assert all(any(low < i / 1000 < high for low, high in chosen) for i in range(1001))


def test_what_is_no_cover_is_reported_with_the_point_it_misses():
    assert finite_subcover(0, 1, [(1 / n, 2) for n in range(1, 100)]).uncovered == 0
    assert finite_subcover(0, 1, [(-1, 0.5), (0.5, 2)]).uncovered == Fraction(1, 2)
    assert finite_subcover(0, 1, []).uncovered == 0


def test_a_half_open_interval_is_not_compact():
    """(1/n, 2) cover (0, 1]; any N of them leave (0, 1/N] uncovered."""
    for n in (10, 1000):
        cover = [(Fraction(1, k), 2) for k in range(1, n + 1)]
        inside = Fraction(1, 2 * n)
        assert finite_subcover(inside, 1, cover).uncovered == inside


def test_the_closure_adds_exactly_the_end_points():
    assert closure([Interval(0, 1, False, False)]) == (Interval(0, 1),)
    apart = [Interval(0, 1, False, False), Interval(2, 3, True, False)]
    assert closure(apart) == (Interval(0, 1), Interval(2, 3))
    touching = [Interval(0, 1, False, False), Interval(1, 2, False, False)]
    assert closure(touching) == (Interval(0, 2),)
    assert closure(closure(apart)) == closure(apart)


def test_an_isolated_point_is_in_the_closure_and_is_no_limit_point():
    """The words of Definition 13, 'the union of the limit points', would lose it."""
    point = [Interval(0, 0)]
    assert limit_points(point) == () and closure(point) == (Interval(0, 0),)


def test_empty_and_reversed_pieces():
    assert closure([Interval(1, 1, False, False)]) == ()
    with pytest.raises(InputError, match="low <= high"):
        closure([Interval(2, 1)])
    with pytest.raises(InputError, match="a <= b"):
        finite_subcover(1, 0, [])
