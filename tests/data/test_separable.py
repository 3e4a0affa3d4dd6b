import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core import generator
from corollary.data.separable import separable_cloud
from corollary.errors import InputError
from corollary.theory.connectionism.perceptron import is_unit, margin, radius
from corollary.theory.connectionism.separability import linear_separability


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 60),
    d=st.integers(1, 12),
    share=st.floats(1e-6, 1.0),
    size=st.sampled_from([1e-3, 1.0, 50.0]),
)
def test_margin_and_radius_are_as_prescribed(seed, n, d, share, size):
    gamma = share * size
    x, y, u = separable_cloud(n, d, gamma, radius=size, rng=generator(seed, "cloud"))
    assert (x.shape, y.shape, u.shape) == ((n, d), (n,), (d,))
    assert is_unit(u)
    assert float(margin(x, y, u)) == pytest.approx(gamma, rel=1e-9, abs=1e-14 * size)
    assert float(radius(x)) <= size * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_version_space_is_not_empty(seed):
    x, y, _ = separable_cloud(60, 5, 0.05, rng=generator(seed, "lp"))
    assert linear_separability(x, y, bias=False).separable


def test_both_labels_occur_from_two_points_on():
    for seed in range(10):
        _, y, _ = separable_cloud(2, 3, 0.5, rng=generator(seed, "two"))
        assert y.tolist() == [1.0, -1.0]


def test_the_same_generator_gives_the_same_cloud():
    first, second = (separable_cloud(9, 4, 0.1, rng=generator(7, "same")) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("gamma", [0.0, -1.0, 1.5, math.nan])
def test_a_margin_outside_the_ball_is_refused(gamma):
    with pytest.raises(InputError, match="gamma must lie in"):
        separable_cloud(5, 2, gamma, rng=generator(0))
    with pytest.raises(InputError, match="n >= 1"):
        separable_cloud(0, 2, 0.1, rng=generator(0))
