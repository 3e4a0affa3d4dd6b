import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core import generator
from corollary.data.separable import separable_cloud
from corollary.data.xor import xor
from corollary.errors import InputError
from corollary.theory.connectionism.cover import enumerate_dichotomies
from corollary.theory.connectionism.labelled import homogeneous
from corollary.theory.connectionism.separability import linear_separability
from corollary.theory.connectionism.version_space import solid_angles, version_space_2d


def drawn(seed, n, d=2):
    rng = generator(seed, "points")
    x = torch.randn(n, d, generator=rng, dtype=torch.float64)
    return x, torch.where(torch.rand(n, generator=rng) < 0.5, -1.0, 1.0).double()


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 7))
def test_the_arc_is_the_intersection_of_the_half_planes(seed, n):
    x, y = drawn(seed, n)
    arc = version_space_2d(x, y)
    phi = torch.linspace(0, 2 * math.pi, 2001, dtype=torch.float64)[:-1]
    w = torch.stack([phi.cos(), phi.sin()], dim=1)
    inside = ((w @ x.T) * y > 0).all(dim=1)
    if arc is None:
        assert not inside.any()
        assert not linear_separability(x, y, bias=False)
        return
    low, high = arc
    turned = (phi - low) % (2 * math.pi)
    clear = ((turned - (high - low)).abs() > 1e-9) & (turned > 1e-9)  # off the two ends
    assert torch.equal((turned < high - low)[clear], inside[clear])
    assert linear_separability(x, y, bias=False)


def test_the_arc_is_empty_for_labels_like_those_of_xor():
    x = torch.tensor([[1.0, 1], [-1, -1], [1, -1], [-1, 1]], dtype=torch.float64)
    assert version_space_2d(x, torch.tensor([1.0, 1, -1, -1])) is None
    assert version_space_2d(torch.zeros(1, 2, dtype=torch.float64), torch.ones(1)) is None


@pytest.mark.parametrize("seed", range(5))
def test_the_version_space_never_grows(seed):
    x, y, _ = separable_cloud(12, 3, 0.2, rng=generator(seed, "grow"))
    found = solid_angles(x, y, draws=2000, rng=generator(seed, "draws"))
    assert found.hits[0] == 2000
    assert (found.hits.diff() <= 0).all()
    arcs = [version_space_2d(x[:k, :2], y[:k]) for k in range(1, 13)]
    sizes = [0.0 if arc is None else arc[1] - arc[0] for arc in arcs]
    assert sizes == sorted(sizes, reverse=True)


def test_the_sampled_angle_agrees_with_the_exact_arc():
    for seed in range(20):
        x, y = drawn(seed, 3)
        arc = version_space_2d(x, y)
        exact = 0.0 if arc is None else (arc[1] - arc[0]) / (2 * math.pi)
        found = solid_angles(x, y, draws=4000, level=1 - 1e-5, rng=generator(seed, "draws"))
        low, high = found.interval()
        assert low[-1] <= exact <= high[-1]


def test_an_orthant_has_two_to_the_minus_d_of_all_directions():
    found = solid_angles(torch.eye(3).double(), torch.ones(3), rng=generator(0, "orthant"))
    low, high = found.interval()
    exact = 0.5 ** torch.arange(4.0, dtype=torch.float64)
    assert ((low <= exact) & (exact <= high)).all()
    torch.testing.assert_close(found.fraction, exact, atol=0.02, rtol=0)


def test_the_intervals_are_those_of_scipy():
    from scipy.stats import binomtest

    found = solid_angles(torch.eye(3).double(), torch.ones(3), draws=50, rng=generator(1, "ci"))
    low, high = found.interval()
    for k, hits in enumerate(found.hits.tolist()):
        ci = binomtest(hits, 50).proportion_ci(0.99, method="exact")
        assert (low[k].item(), high[k].item()) == pytest.approx((ci.low, ci.high))


def test_the_version_spaces_of_all_labellings_tile_the_sphere():
    x = torch.randn(5, 3, generator=generator(0, "tile"), dtype=torch.float64)
    hits = [
        int(solid_angles(x, y.double(), draws=3000, rng=generator(0, "w")).hits[-1])
        for y in enumerate_dichotomies(x)
    ]
    assert sum(hits) == 3000


def test_the_version_space_of_xor_is_empty():
    x, y = xor()
    assert solid_angles(homogeneous(x), y, rng=generator(0, "xor")).hits[-1] == 0


def test_a_level_outside_zero_and_one_is_refused():
    x, y = xor()
    with pytest.raises(InputError, match="level"):
        solid_angles(x, y, level=1.0, rng=generator(0))
