import inspect

import pytest
import torch

from corollary.data.manifolds import embedded_sphere, swiss_roll
from corollary.errors import InputError
from corollary.theory.geometry.intrinsic_dimension import intrinsic_dimension, neighbours


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_spheres_in_fifty_dimensions_with_noise(k, rng):
    X = embedded_sphere(1500, k, 50, 0.01, rng=rng)
    assert abs(intrinsic_dimension(X, "local PCA", scale=96) - k) < 0.3
    assert abs(intrinsic_dimension(X, "TwoNN", scale=96) - k) < 0.3


def test_the_roll_in_fifty_dimensions_with_noise(rng):
    X = swiss_roll(1500, 50, 0.01, rng=rng)
    assert abs(intrinsic_dimension(X, "local PCA", scale=12) - 2) < 0.3
    assert abs(intrinsic_dimension(X, "TwoNN", scale=4) - 2) < 0.3


def test_gaussians_have_all_their_dimensions(rng):
    X = torch.randn(1200, 50, generator=rng, dtype=torch.float64)
    assert intrinsic_dimension(X, "local PCA", scale=400) == 50
    few = torch.randn(2000, 5, generator=rng, dtype=torch.float64)
    assert abs(intrinsic_dimension(few, "TwoNN") - 5) < 0.3


def test_noise_at_the_smallest_scale_looks_like_more_dimensions(rng):
    X = embedded_sphere(1500, 2, 50, 0.01, rng=rng)
    assert intrinsic_dimension(X, "TwoNN", scale=1) > 4


def test_neighbours_are_those_of_scikit_learn(rng):
    NearestNeighbors = pytest.importorskip("sklearn.neighbors").NearestNeighbors
    X = torch.randn(300, 6, generator=rng, dtype=torch.float64)
    mine, who = neighbours(X, 4)
    theirs, them = NearestNeighbors(n_neighbors=5).fit(X.numpy()).kneighbors(X.numpy())
    assert torch.allclose(mine, torch.from_numpy(theirs[:, 1:]), atol=1e-6)
    assert torch.equal(who, torch.from_numpy(them[:, 1:]))


def test_bad_questions_are_refused(rng):
    X = torch.randn(10, 3, generator=rng, dtype=torch.float64)
    with pytest.raises(InputError, match="local PCA"):
        inspect.unwrap(intrinsic_dimension)(X, "PCA")  # without the tests' check of types
    with pytest.raises(InputError, match="needs more than"):
        intrinsic_dimension(X, "TwoNN", scale=5)
    with pytest.raises(InputError, match="coincide"):
        intrinsic_dimension(torch.zeros(5, 2).double(), "TwoNN")
