import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core import generator
from corollary.theory.generalization.linear_class import (
    linear_complexity,
    linear_complexity_bound,
    linear_complexity_radius,
    linear_suprema,
    supremum_inside,
)
from corollary.theory.generalization.rademacher import random_signs, sign_vectors


def cloud(m, d, seed=0):
    return torch.randn(m, d, generator=generator(seed, "cloud"), dtype=torch.float64)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 10), st.integers(1, 12), st.integers(0, 10**6))
def test_the_complexity_lies_between_its_bounds(m, d, seed):
    x = cloud(m, d, seed)
    R, bound = linear_complexity(x, 2.0), linear_complexity_bound(x, 2.0)
    assert bound / math.sqrt(2) * (1 - 1e-12) <= R <= bound * (1 + 1e-12)
    assert bound <= linear_complexity_radius(float(x.norm(dim=1).max()), 2.0, m) * (1 + 1e-12)


def test_orthogonal_points_attain_the_upper_and_two_equal_ones_the_lower_bound():
    eye = 3 * torch.eye(6, dtype=torch.float64)
    assert linear_complexity(eye, 1.0) == pytest.approx(linear_complexity_bound(eye, 1.0))
    pair = torch.ones(2, 1, dtype=torch.float64)
    assert linear_complexity(pair, 1.0) == pytest.approx(
        linear_complexity_bound(pair, 1.0) / math.sqrt(2)
    )


def test_the_supremum_is_attained_by_the_best_weights_and_by_none_better():
    x, signs = cloud(8, 3), sign_vectors(8)
    w = torch.randn(2000, 3, generator=generator(1, "w"), dtype=torch.float64)
    w = 1.5 * w / w.norm(dim=1, keepdim=True)
    tried = (signs @ x @ w.T).amax(dim=1) / 8
    best = linear_suprema(x, 1.5, signs)
    assert bool((tried <= best + 1e-12).all())
    assert float((tried / best).min()) > 0.97


def test_the_misprinted_line_does_not_decay():
    """The supremum inside the sum: 1 for unit vectors, against at most 0.032 at m = 1000."""
    x = cloud(1000, 4)
    x = x / x.norm(dim=1, keepdim=True)
    R = linear_suprema(x, 1.0, random_signs(200, 1000, rng=generator(0, "s"))).mean()
    assert supremum_inside(x, 1.0) == pytest.approx(1)
    assert float(R) < 0.032
    assert linear_complexity_radius(1.0, 1.0, 1000) == pytest.approx(0.0316, abs=1e-4)
