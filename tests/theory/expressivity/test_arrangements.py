import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.expressivity.arrangements import (
    count_regions,
    enumerate_cells,
    in_general_position,
)
from corollary.theory.expressivity.bounds import zaslavsky


def draw(m, n, seed=0):
    rng = generator(seed, "planes")
    W = torch.randn(m, n, generator=rng, dtype=torch.float64)
    return W, torch.randn(m, generator=rng, dtype=torch.float64)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("m", range(1, 9))
def test_random_hyperplanes_attain_the_bound(m, n):
    W, b = draw(m, n)
    assert in_general_position(W, b)
    assert count_regions(W, b) == zaslavsky(m, n)


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("m", [4, 6])
def test_parallel_or_concurrent_hyperplanes_make_fewer(m, n):
    W, b = draw(m, n)
    concurrent, parallel = torch.zeros_like(b), W[:1].expand(m, n).contiguous()
    assert count_regions(W, concurrent) < zaslavsky(m, n)
    assert count_regions(parallel, b) == m + 1
    assert not in_general_position(W, concurrent) and not in_general_position(parallel, b)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), m=st.integers(1, 6), n=st.integers(1, 3), whole=st.booleans())
def test_counting_agrees_with_linear_programs(seed, m, n, whole):
    """Small whole numbers give parallel, equal, zero and concurrent hyperplanes."""
    W, b = draw(m, n, seed)
    if whole:
        W, b = W.round(), b.round()
    cells = enumerate_cells(W, b)
    assert len(cells.patterns) == count_regions(W, b) <= 2**m
    assert len(torch.unique(cells.patterns, dim=0)) == len(cells.patterns)
    value = cells.inside @ W.T + b
    assert bool(((value > 0) == cells.patterns).all())


def test_every_point_lies_in_a_cell():
    W, b = draw(6, 2)
    cells = {tuple(row) for row in enumerate_cells(W, b).patterns.tolist()}
    x = 3 * torch.randn(500, 2, generator=generator(1), dtype=torch.float64)
    assert {tuple(row) for row in (x @ W.T + b > 0).tolist()} <= cells


def test_scaling_a_row_changes_nothing_and_zero_rows_divide_nothing():
    W, b = draw(5, 2)
    scale = torch.tensor([1e-3, 1.0, -50.0, 7.0, 1e4], dtype=torch.float64)
    assert count_regions(scale[:, None] * W, scale * b) == count_regions(W, b) == 16
    padded = torch.cat([W, torch.zeros(2, 2).double()])
    assert count_regions(padded, torch.cat([b, torch.ones(2).double()])) == 16


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="one normal and one offset"):
        count_regions(torch.zeros(0, 2).double(), torch.zeros(0).double())
    with pytest.raises(InputError, match="finite"):
        count_regions(torch.full((1, 2), torch.inf).double(), torch.zeros(1).double())
