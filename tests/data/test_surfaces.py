import math

import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal
from sklearn.linear_model import LinearRegression

from corollary.data.surfaces import CENTRES, SIGNS, WIDTH, gaussian_hills, surveyed, tilted_plane
from corollary.errors import InputError


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def test_the_hills_are_the_densities_of_scipy():
    x, y = surveyed(gaussian_hills, 200, rng=rng())
    covariance, peak = WIDTH**2 * np.eye(2), 2 * math.pi * WIDTH**2
    bumps = zip(CENTRES, SIGNS, strict=True)
    theirs = sum(s * peak * multivariate_normal(c, covariance).pdf(x.numpy()) for c, s in bumps)
    np.testing.assert_allclose(y.numpy(), theirs, atol=1e-14)


def test_the_hills_change_their_sign_with_the_second_coordinate():
    x, y = surveyed(gaussian_hills, 100, rng=rng())
    torch.testing.assert_close(gaussian_hills(x * torch.tensor([1.0, -1.0])), -y)


def test_a_linear_model_learns_the_plane_and_not_the_hills():
    for height, low, high in ((tilted_plane, 1 - 1e-12, 1.0), (gaussian_hills, 0.0, 0.1)):
        x, y = surveyed(height, 2000, rng=rng())
        assert (
            low <= LinearRegression().fit(x.numpy(), y.numpy()).score(x.numpy(), y.numpy()) <= high
        )


def test_the_error_has_the_standard_deviation_that_was_asked_for():
    x, y = surveyed(tilted_plane, 20_000, noise=0.3, rng=rng(1))
    assert float((y - tilted_plane(x)).std()) == pytest.approx(0.3, rel=0.03)


def test_single_precision_stays_single():
    x, y = surveyed(gaussian_hills, 3, rng=rng(), dtype=torch.float32)
    assert x.dtype == y.dtype == torch.float32


@pytest.mark.parametrize(("n", "noise"), [(0, 0.1), (3, -1.0), (3, float("nan"))])
def test_impossible_surveys_are_refused(n, noise):
    with pytest.raises(InputError, match="a survey needs"):
        surveyed(tilted_plane, n, noise=noise, rng=rng())
