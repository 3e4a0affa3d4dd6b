import math

import pytest
import torch

from corollary.data.point_clouds import lollipops, point_clouds
from corollary.errors import InputError


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


def test_points_lie_on_their_bodies(rng):
    x, y = point_clouds(30, 40, rng=rng)
    radius = x.norm(dim=2)
    assert torch.allclose(radius[y == 0], torch.ones(10, 40).double())
    assert torch.allclose(radius[y == 2], torch.ones(10, 40).double())
    assert bool((radius[y == 1] <= 1 + 1e-12).all())
    assert bool((radius[y == 1] >= 1 / math.sqrt(3) - 1e-12).all())
    flat = torch.linalg.svdvals(x[y == 2])[:, 2]
    assert float(flat.max()) < 1e-10  # a circle lies in a plane
    assert float(torch.linalg.svdvals(x[y == 1])[:, 2].min()) > 1


def test_parts_are_stick_and_sphere(rng):
    x, part = lollipops(5, 60, rng=rng)
    radius = x.norm(dim=2)
    assert torch.allclose(radius[part == 1], torch.full_like(radius[part == 1], 0.5))
    assert bool((radius[part == 0] >= 0.5).all())


def test_empty_clouds_are_refused(rng):
    with pytest.raises(InputError):
        point_clouds(1, 0, rng=rng)
    with pytest.raises(InputError):
        lollipops(0, 3, rng=rng)
