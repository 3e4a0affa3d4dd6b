import math

import pytest
import torch

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.approximation.grids import (
    box_grid,
    cells,
    grid_units,
    modulus_of_continuity,
)


def mean_over_root(x):
    return x.sum(1) / x.shape[1] ** 0.5


@pytest.mark.parametrize("d", [1, 4, 9])
def test_the_modulus_depends_on_the_norm(d):
    rng = generator(0)
    sup = modulus_of_continuity(mean_over_root, 0.2, d, rng=rng)
    euclid = modulus_of_continuity(mean_over_root, 0.2, d, norm=2, rng=rng)
    assert sup == pytest.approx(0.2 * d**0.5)
    assert euclid == pytest.approx(0.2)


def test_pairs_stay_in_the_cube():
    inside = modulus_of_continuity(
        lambda x: ((x < 0) | (x > 1 + 1e-12)).any(1).double(), 0.7, 3, rng=generator(1)
    )
    assert inside == 0.0


@pytest.mark.parametrize("ratio", [2, 5, 10])
def test_the_log_of_the_count_grows_by_log_rho_over_eps_a_dimension(ratio):
    counts = [grid_units(1.0, 1 / ratio, d) / (4 * d + 1) for d in range(1, 9)]
    steps = [math.log(b / a) for a, b in zip(counts, counts[1:], strict=False)]
    assert steps == pytest.approx([math.log(ratio)] * 7)


def test_a_constant_function_needs_one_cell():
    assert grid_units(0.0, 0.1, 3) == 13


def test_a_quotient_that_is_an_integer_up_to_rounding_is_taken_as_one():
    assert cells(1 / 49 * 1.0) == 49 and cells(0.1) == 10 and cells(0.7) == 2


@pytest.mark.parametrize("delta", [0.0, -1.0, math.inf, math.nan])
def test_a_side_that_is_not_positive_is_refused(delta):
    with pytest.raises(InputError, match="positive"):
        cells(delta)


def test_wrong_sizes_are_refused():
    with pytest.raises(InputError, match="d, n >= 1"):
        box_grid(0, 3)
    with pytest.raises(InputError, match="d >= 1"):
        grid_units(1.0, 0.1, 0)
    with pytest.raises(InputError, match="positive"):
        modulus_of_continuity(mean_over_root, 0.0, 2, rng=generator(0))


def test_a_grid_in_one_dimension_has_one_column():
    assert torch.equal(box_grid(1, 3), torch.tensor([[0.0], [0.5], [1.0]], dtype=torch.float64))
