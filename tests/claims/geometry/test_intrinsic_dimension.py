import torch

from corollary.claims.geometry.intrinsic_dimension import IntrinsicDimension
from corollary.core import Verdict
from corollary.data.manifolds import embedded
from corollary.theory.geometry.intrinsic_dimension import intrinsic_dimension


def test_a_flat_square_in_fifty_dimensions():
    rng = torch.Generator().manual_seed(0)
    X = embedded(torch.rand(800, 2, generator=rng, dtype=torch.float64), 50, rng=rng)
    assert abs(intrinsic_dimension(X, "TwoNN", scale=12) - 2) < 0.3
    assert abs(intrinsic_dimension(X, "local PCA", scale=12) - 2) < 0.3


def test_it_holds_in_fewer_dimensions():
    assert IntrinsicDimension(n=600, D=20, noise=0.005).check(1).verdict is Verdict.HOLDS


def test_large_noise_is_refuted():
    assert IntrinsicDimension().refute(0).fails
