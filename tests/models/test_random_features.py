import pytest
import torch
from scipy import stats

from corollary.core import generator
from corollary.errors import InputError
from corollary.models.random_features import (
    RandomFeatures,
    rf_final_distribution,
    rf_initial_covariance,
)


def draw(*shape):
    return torch.randn(*shape, generator=generator(0, "features", *shape), dtype=torch.float64)


def test_only_theta_is_trained():
    model = RandomFeatures(3, 20, rng=generator(0))
    assert [name for name, _ in model.named_parameters()] == ["theta"]


def test_it_is_a_network_of_one_hidden_layer_with_a_frozen_first_layer():
    model, x = RandomFeatures(3, 20, rng=generator(0)), draw(5, 3)
    net = torch.nn.Sequential(
        torch.nn.Linear(3, 20, bias=False), torch.nn.ReLU(), torch.nn.Linear(20, 1, bias=False)
    ).double()
    with torch.no_grad():
        net[0].weight.copy_(model.w)
        net[2].weight.copy_(model.theta / 20**0.5)
    assert torch.allclose(net(x)[:, 0], model(x))


@pytest.mark.parametrize("kind", ["relu", "fourier"])
def test_the_kernel_tends_to_its_limit(kind):
    model, x, y = RandomFeatures(3, 100_000, kind=kind, rng=generator(0)), draw(4, 3), draw(2, 3)
    assert (model.kernel(x, y) - model.limit_kernel(x, y)).abs().max() < 0.06


def test_outputs_at_the_start_are_gaussian_with_the_kernel_as_covariance():
    model, x = RandomFeatures(2, 30, rng=generator(1)), draw(3, 2)
    theta = draw(100_000, 30)
    f = theta @ model.features(x).T / 30**0.5
    k = rf_initial_covariance(model, x)
    assert (f.T @ f / len(f) - k).abs().max() < 0.05 * k.max()
    assert stats.kstest((f[:, 0] / k[0, 0].sqrt()).numpy(), "norm").pvalue > 1e-4


def test_gradient_descent_from_normal_starts_ends_in_the_predicted_law():
    model, x, new = RandomFeatures(1, 60, kind="fourier", rng=generator(2)), draw(3, 1), draw(2, 1)
    y = draw(3)
    phi, at = (model.features(t) / 60**0.5 for t in (x, new))
    theta = draw(4000, 60)
    for _ in range(3000):
        theta = theta + 0.5 * (y - theta @ phi.T) @ phi
    mean, cov = rf_final_distribution(at @ at.T, phi @ at.T, phi @ phi.T, y)
    f = theta @ at.T
    spread = cov.diagonal().sqrt()
    assert ((f.mean(0) - mean).abs() < 5 * spread / len(f) ** 0.5 + 1e-4).all()
    assert ((f.var(0) - spread**2).abs() < 0.2 * spread**2 + 1e-4).all()
    own_mean, own = rf_final_distribution(phi @ phi.T, phi @ phi.T, phi @ phi.T, y)
    assert torch.allclose(own_mean, y) and own.abs().max() < 1e-9
    assert (spread > 0).all()


def test_bad_requests_are_named():
    with pytest.raises(InputError, match="p >= 1"):
        RandomFeatures(2, 0, rng=generator(0))
    with pytest.raises(InputError, match="singular"):
        rf_final_distribution(draw(1, 1), draw(2, 1), torch.ones(2, 2).double(), draw(2))
