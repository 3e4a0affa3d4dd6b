import itertools
import math

import pytest

from corollary.errors import InputError
from corollary.theory.expressivity.bounds import (
    affine_pieces_mean,
    affine_pieces_report,
    affine_pieces_upper,
    log_pieces,
    montufar_lower,
    optimal_depth,
    product_upper,
    serra_upper,
    zaslavsky,
)


def test_few_hyperplanes_make_all_patterns():
    assert all(zaslavsky(m, n) == 2**m for n in range(6) for m in range(n + 1))
    assert zaslavsky(0, 3) == 1 and zaslavsky(7, 1) == 8


def test_zaslavsky_obeys_deletion_and_restriction():
    for m, n in itertools.product(range(1, 9), range(1, 6)):
        assert zaslavsky(m, n) == zaslavsky(m - 1, n) + zaslavsky(m - 1, n - 1)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("widths", [(3,), (4, 4), (5, 3, 4), (3, 3, 3, 3)])
def test_lower_bound_finer_bound_and_product_are_in_order(d, widths):
    assert montufar_lower(d, widths) <= serra_upper(d, widths) <= product_upper(d, widths)


def test_the_finer_bound_is_its_definition():
    d, widths = 2, (3, 2, 3)
    total = 0
    for j in itertools.product(*(range(n + 1) for n in widths)):
        rooms = [
            min([d, n, *(w - i for w, i in zip(widths[:l], j[:l], strict=True))])
            for l, n in enumerate(widths)
        ]
        if all(a <= b for a, b in zip(j, rooms, strict=True)):
            total += math.prod(math.comb(n, a) for n, a in zip(widths, j, strict=True))
    assert serra_upper(d, widths) == total < product_upper(d, widths)


def test_the_binomial_of_the_slides_is_above_the_maximum():
    """d = 2, n = 4, l = 2: the binomial gives 576; no such network has more than 121 regions."""
    d, n, l = 2, 4, 2
    assert math.comb(n, d) ** (d * (l - 1)) * n**d == 576
    assert product_upper(d, [n] * l) == 121
    assert montufar_lower(d, [n] * l) == 44


def test_a_width_below_the_dimension_is_refused():
    with pytest.raises(InputError, match="at least d=3"):
        montufar_lower(3, [2, 5])
    with pytest.raises(InputError, match="widths must be"):
        product_upper(2, [])
    with pytest.raises(InputError, match="m must be at least 0"):
        zaslavsky(-1, 2)


def test_the_report_of_each_layer_multiplies_up_to_the_bound():
    widths = (3, 4, 2)
    report = affine_pieces_report(widths)
    assert report == [2, 4 * 3, 8 * 12]
    assert affine_pieces_upper(widths) == report[-1] * widths[-1] == 192


@pytest.mark.parametrize("widths", [(1, 1), (2, 4), (5, 5, 5), (1, 9, 2)])
def test_the_mean_bounds_the_product(widths):
    assert affine_pieces_upper(widths) <= affine_pieces_mean(widths) * (1 + 1e-12)
    if len(set(widths)) == 1:
        assert affine_pieces_upper(widths) == pytest.approx(affine_pieces_mean(widths))


@pytest.mark.parametrize("m", [1, 2, 3, 7, 40, 1000])
def test_the_best_depth_is_found_by_a_grid(m):
    real, whole = optimal_depth(m)
    assert whole == max(range(1, 2 * m + 1), key=lambda L: log_pieces(m, L))
    assert whole in (math.floor(real), math.ceil(real))
    assert log_pieces(m, real) == pytest.approx(2 * m / math.e)
    assert m / real == pytest.approx(math.e / 2) and 1 < m / real < 2  # thinner than two units


def test_depths_that_are_not_positive_are_refused():
    with pytest.raises(InputError, match="positive"):
        log_pieces(3, 0)
