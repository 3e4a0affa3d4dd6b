"""Certified uniform distances, and bases that are fixed in advance."""

import math

import numpy as np
import pytest
import scipy.optimize
import torch

from corollary.errors import InputError
from corollary.theory.approximation.fixed_bases import lowest_frequencies, monomials, waves_at
from corollary.theory.approximation.grids import box_grid
from corollary.theory.approximation.uniform_distance import sup_distance


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


def zero(x):
    return torch.zeros_like(x[:, 0])


@pytest.mark.parametrize("atol", [1e-2, 1e-6])
def test_the_certificate_for_a_sine_contains_one(atol):
    found = sup_distance(lambda x: x[:, 0].sin(), zero, [(0.0, math.pi)], lipschitz=1.0, atol=atol)
    assert found.lower <= 1.0 <= found.upper <= found.lower + atol
    assert found.at[0] == pytest.approx(math.pi / 2, abs=0.1)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_certificate_contains_what_scipys_optimizer_finds(d, rng):
    c = torch.rand(d, generator=rng, dtype=torch.float64)

    def f(x):
        return torch.sin(3 * x @ (1 + c)) + x[:, 0] ** 2

    L = 3 * float((1 + c).norm()) + 2
    found = sup_distance(f, zero, [(0.0, 1.0)] * d, lipschitz=L, atol=1e-2)
    best = scipy.optimize.dual_annealing(
        lambda v: -abs(float(f(torch.from_numpy(v)[None]))), [(0, 1)] * d, maxiter=60, rng=1
    )
    assert found.lower - 1e-9 <= found.upper
    assert found.lower - 1e-2 <= -best.fun <= found.upper + 1e-9


def test_a_difference_of_two_functions_is_measured():
    found = sup_distance(
        lambda x: x[:, 0] ** 2, lambda x: x[:, 0], [(0.0, 1.0)], lipschitz=1.0, atol=1e-5
    )
    assert found.lower <= 0.25 <= found.upper


def test_without_a_constant_there_is_no_upper_bound():
    assert sup_distance(lambda x: x[:, 0], zero, [(0.0, 1.0)]).upper == math.inf


@pytest.mark.parametrize("box", [[(0.0, math.inf)], [], [(1.0, 0.0)], [(math.nan, 1.0)]])
def test_domains_that_are_not_compact_are_refused(box):
    with pytest.raises(InputError, match="compact"):
        sup_distance(zero, zero, box, lipschitz=1.0)


def test_a_negative_constant_is_refused():
    with pytest.raises(InputError, match="lipschitz"):
        sup_distance(zero, zero, [(0.0, 1.0)], lipschitz=-1.0)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_no_frequency_is_left_out_below_the_longest(d):
    k = lowest_frequencies(d, 60)
    assert len(torch.cat([k, -k]).unique(dim=0)) == 120  # one of each pair, none zero
    longest = float(k.norm(dim=1).max())
    reach = math.ceil(longest)
    grid = np.stack(np.meshgrid(*[np.arange(-reach, reach + 1)] * d), -1).reshape(-1, d)
    shorter = (np.linalg.norm(grid, axis=1) < longest - 1e-9).sum() - 1
    assert shorter / 2 == int((k.norm(dim=1) < longest - 1e-9).sum())


def test_waves_are_orthonormal_on_a_grid():
    k = lowest_frequencies(2, 12)
    x = box_grid(2, 11, 0.0, 10 / 11)
    A = waves_at(k, x)
    assert torch.allclose(A.T @ A / len(x), torch.eye(24, dtype=torch.float64), atol=1e-12)


def test_monomials_are_numpys_chebyshev_polynomials():
    x = torch.rand(9, 1, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    theirs = np.polynomial.chebyshev.chebvander(2 * x[:, 0].numpy() - 1, 5)
    assert np.allclose(monomials(x, 6).numpy(), theirs)


def test_monomials_span_polynomials_of_low_degree():
    x = box_grid(2, 8)
    A = monomials(x, 6)  # degree 2 in two variables
    y = (x[:, 0] * x[:, 1] - 3 * x[:, 1] ** 2)[:, None]
    left = y - A @ torch.linalg.lstsq(A, y).solution
    assert left.abs().max() < 1e-12


def test_frequencies_need_a_dimension():
    with pytest.raises(InputError, match="at least 1"):
        lowest_frequencies(0, 3)
