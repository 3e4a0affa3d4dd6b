from fractions import Fraction
from itertools import product

import pytest
import torch

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.connectionism.cover import (
    cover_count,
    cover_count_recursive,
    enumerate_dichotomies,
    in_general_position,
    separable_labellings,
    separable_probability,
)
from corollary.theory.connectionism.labelled import homogeneous
from corollary.theory.connectionism.separability import linear_separability


def gaussian(s, n, seed=0):
    return torch.randn(s, n, generator=generator(seed, "gaussian"), dtype=torch.float64)


def test_closed_form_and_recursion_agree_exactly():
    for s, n in product(range(1, 30), range(1, 12)):
        assert cover_count(s, n) == cover_count_recursive(s, n)
    assert cover_count(500, 200) == cover_count_recursive(500, 200)  # integers of any length


@pytest.mark.parametrize(("s", "n"), [(1, 1), (5, 1), (3, 3), (6, 2), (7, 3), (9, 4), (4, 6)])
def test_the_enumeration_finds_as_many_as_the_formula(s, n):
    x = gaussian(s, n)
    found = enumerate_dichotomies(x)
    assert len(found) == cover_count(s, n)
    assert len({tuple(row) for row in found.tolist()}) == len(found)


def test_the_enumeration_finds_exactly_the_separable_labellings():
    x = gaussian(6, 3, seed=1)
    found = {tuple(row) for row in enumerate_dichotomies(x).tolist()}
    for labels in product((-1, 1), repeat=6):
        separable = linear_separability(x, torch.tensor(labels).double(), bias=False).separable
        assert (labels in found) == separable


def test_the_affine_count_is_the_homogeneous_one_in_one_more_dimension():
    x = gaussian(6, 2, seed=2)
    found = enumerate_dichotomies(homogeneous(x))
    assert len(found) == cover_count(6, 3) == 32
    by_program = sum(
        linear_separability(x, torch.tensor(labels).double()).separable
        for labels in product((-1, 1), repeat=6)
    )
    assert by_program == 32


def test_points_out_of_general_position_realise_fewer_labellings_and_are_reported():
    x = gaussian(6, 3, seed=3)
    assert in_general_position(x)
    x[5] = x[0] + x[1]  # three points in a plane
    assert not in_general_position(x)
    assert len(enumerate_dichotomies(x)) < cover_count(6, 3)
    x[5] = -2 * x[0]  # a mirrored copy adds nothing
    assert not in_general_position(x)
    assert len(enumerate_dichotomies(x)) == cover_count(5, 3)
    x[5] = 0
    assert not in_general_position(x)
    assert len(enumerate_dichotomies(x)) == 0


def test_all_labellings_are_realised_iff_there_are_at_most_n_points():
    for s, n in product(range(1, 15), range(1, 8)):
        assert (cover_count(s, n) == 2**s) == (s <= n)


def test_the_number_never_decreases_although_the_fraction_falls():
    """The notes' remark that the number drops after s = 2n is about the fraction."""
    for n in range(1, 10):
        counts = [cover_count(s, n) for s in range(1, 8 * n)]
        assert counts == sorted(counts)
        fractions = [separable_probability(s, n) for s in range(n, 8 * n)]
        assert all(a > b for a, b in zip(fractions, fractions[1:], strict=False))
        assert separable_probability(2 * n, n) == Fraction(1, 2)
    assert (cover_count(8, 4), cover_count(16, 4)) == (128, 1152)


def test_the_fall_sharpens_with_the_dimension():
    def width(n):  # in units of s / n, between 9/10 and 1/10
        inside = [s for s in range(n, 6 * n) if 0.1 < separable_probability(s, n) < 0.9]
        return len(inside) / n

    assert width(4) > 1.5 * width(16) > 2.25 * width(64)
    assert width(16) / width(64) == pytest.approx(2, rel=0.25)  # like 1 / sqrt(n)


def test_batched_answers_are_those_of_the_linear_program():
    z = torch.randn(60, 8, 4, generator=generator(0, "batch"), dtype=torch.float64)
    ones = torch.ones(8, dtype=torch.float64)
    expected = [linear_separability(cloud, ones, bias=False).separable for cloud in z]
    assert separable_labellings(z).tolist() == expected
    assert 0 < sum(expected) < 60


def test_sizes_below_one_are_refused():
    with pytest.raises(InputError, match="needs s >= 1"):
        cover_count(0, 3)
    with pytest.raises(InputError, match="needs s >= 1"):
        cover_count_recursive(3, 0)
