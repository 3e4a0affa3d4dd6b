import pytest
import torch

from corollary.core import generator
from corollary.theory.robustness.balls import project, random_in_ball, size, steepest

NORMS = ("linf", "l2", "l1")


@pytest.mark.parametrize("norm", NORMS)
def test_projection_is_the_nearest_point_of_the_ball(norm):
    rng = generator(0, "project")
    z = 2 * torch.randn(20, 3, generator=rng, dtype=torch.float64)
    p = project(z, 1.0, norm)
    assert bool((size(p, norm) <= 1 + 1e-12).all())
    others = random_in_ball(torch.zeros(500, 3, dtype=torch.float64), 1.0, norm, rng=rng)
    gaps = torch.cdist(z, others).amin(dim=1) - (z - p).norm(dim=1)
    assert float(gaps.min()) > -1e-12
    torch.testing.assert_close(project(p, 1.0, norm), p)


@pytest.mark.parametrize("norm", NORMS)
def test_no_point_of_the_ball_beats_the_steepest_direction(norm):
    rng = generator(0, "steep")
    g = torch.randn(1, 4, generator=rng, dtype=torch.float64)
    best = float((g * steepest(g, norm)).sum())
    others = random_in_ball(torch.zeros(2000, 4, dtype=torch.float64), 1.0, norm, rng=rng)
    assert float((others @ g[0]).max()) <= best + 1e-12
