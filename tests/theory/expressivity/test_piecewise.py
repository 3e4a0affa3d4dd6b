import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.expressivity.piecewise import PiecewiseLinear, random_piecewise

X = torch.linspace(-3, 3, 601, dtype=torch.float64)


def double(*values):
    return torch.tensor(values, dtype=torch.float64)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**6), pieces=st.integers(1, 12), k=st.integers(1, 5))
def test_the_bounds_are_never_violated_and_the_values_are_right(seed, pieces, k):
    rng = generator(seed, "piecewise")
    f = [random_piecewise(pieces, rng=rng) for _ in range(k)]
    assert all(g.pieces == pieces for g in f)
    rectified, total = f[0].relu(), f[0].add(*f[1:])
    assert rectified.pieces <= 2 * pieces
    assert total.pieces <= k * pieces - (k - 1)
    torch.testing.assert_close(rectified(X), f[0](X).relu(), rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(total(X), sum(g(X) for g in f), rtol=1e-9, atol=1e-9)


def test_doubling_is_attained_by_a_line_and_by_a_roof():
    line = PiecewiseLinear(double(0.0), double(0.0), 1.0, 1.0)
    roof = PiecewiseLinear(double(0.0), double(1.0), 1.0, -1.0)
    assert (line.pieces, line.relu().pieces) == (1, 2)
    assert (roof.pieces, roof.relu().pieces) == (2, 4)
    assert roof.relu().knots.tolist() == [-1.0, 0.0, 1.0]


def test_the_sum_is_attained_by_different_knots_and_not_by_equal_ones():
    corner = [PiecewiseLinear(double(c), double(0.0), 0.0, 1.0) for c in (0.0, 1.0, 2.0)]
    assert corner[0].add(*corner[1:]).pieces == 4 == sum(f.pieces for f in corner) - 2
    assert corner[0].add(corner[0]).pieces == 2
    assert corner[0].add(corner[0].scale(-1)).pieces == 1  # the kinks cancel


def test_scaling_keeps_the_pieces_and_zero_makes_one():
    f = random_piecewise(6, rng=generator(0))
    torch.testing.assert_close(f.scale(-3, 2)(X), -3 * f(X) + 2)
    assert f.scale(-3, 2).pieces == 6 and f.scale(0.0, 1.0).pieces == 1


def test_a_network_of_the_calculus_is_the_network():
    """relu(x) - 2 relu(x - 1/2), composed by hand, has the pieces that the class counts."""
    x = PiecewiseLinear(double(0.0), double(0.0), 1.0, 1.0)
    tent = x.relu().scale(2).add(x.scale(1, -0.5).relu().scale(-4)).relu()
    assert tent.knots.tolist() == [0.0, 0.5, 1.0]
    assert tent(double(-1.0, 0.25, 0.5, 0.75, 2.0)).tolist() == [0.0, 0.5, 1.0, 0.5, 0.0]
    assert tent.pieces == 4


def test_knots_must_ascend():
    with pytest.raises(InputError, match="ascend"):
        PiecewiseLinear(double(1.0, 0.0), double(0.0, 0.0), 0.0, 0.0)
    with pytest.raises(InputError, match="at least one piece"):
        random_piecewise(0, rng=generator(0))
