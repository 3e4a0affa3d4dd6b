import math

import pytest
import torch

from corollary.data.manifolds import embedded, embedded_sphere, swiss_roll, two_spirals
from corollary.errors import InputError


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


def test_the_sphere_lies_in_its_subspace(rng):
    x = embedded_sphere(300, 2, 50, rng=rng)
    assert torch.allclose(x.norm(dim=1), torch.ones(300).double())
    assert torch.linalg.matrix_rank(x) == 3


def test_noise_adds_its_variance_in_every_coordinate(rng):
    x = torch.zeros(4000, 3, dtype=torch.float64)
    y = embedded(x, 10, 0.1, rng=rng)
    assert torch.allclose(y.var(dim=0), torch.full((10,), 0.01).double(), rtol=0.15)


def test_the_embedding_keeps_distances(rng):
    x = torch.randn(20, 3, generator=rng, dtype=torch.float64)
    assert torch.allclose(torch.cdist(x, x), torch.cdist(*[embedded(x, 30, rng=rng)] * 2))


def test_the_roll_has_the_extent_of_its_formula(rng):
    x = swiss_roll(5000, 3, rng=rng)
    largest = float(torch.cdist(x[:1500], x[:1500]).max())
    assert 2 * 1.5 * math.pi < largest < 2 * 4.5 * math.pi + 21


def test_the_spirals_are_turned_by_half_a_circle(rng):
    x, y = two_spirals(400, 1.5, rng=rng)
    r = x.norm(dim=1)
    angle = torch.atan2(x[:, 1], x[:, 0])
    turned = (angle - 3 * math.pi * r - (y < 0) * math.pi).remainder(2 * math.pi)
    assert bool(((turned < 1e-6) | (turned > 2 * math.pi - 1e-6)).all())


def test_bad_sizes_are_refused(rng):
    for wrong in (
        lambda: swiss_roll(3, 2, rng=rng),
        lambda: two_spirals(0, rng=rng),
        lambda: embedded_sphere(3, 5, 5, rng=rng),
    ):
        with pytest.raises(InputError):
            wrong()
