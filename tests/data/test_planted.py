import pytest
import torch

from corollary.data.planted import planted
from corollary.errors import InputError


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def test_features_and_noise_have_the_moments_asked_for():
    Sigma = torch.tensor([[2.0, 0.7], [0.7, 1.0]], dtype=torch.float64)
    data = planted(200_000, 2, Sigma=Sigma, sigma=0.5, rng=rng())
    noise = data.y - data.phi @ data.w_star
    torch.testing.assert_close(data.phi.T @ data.phi / 200_000, Sigma, atol=0.02, rtol=0)
    assert float(noise.mean()) == pytest.approx(0, abs=0.005)
    assert float(noise.square().mean()) == pytest.approx(0.25, rel=0.01)
    assert float((noise[:, None] * data.phi).mean(dim=0).abs().max()) < 0.01


@pytest.mark.parametrize("noise", ["rademacher", "uniform", "laplace"])
def test_any_law_of_the_noise_has_the_same_bayes_risk(noise):
    data = planted(50_000, 1, sigma=2.0, noise=noise, rng=rng())
    error = (data.y - data.phi @ data.w_star).square().mean()
    assert data.bayes_risk == 4 and float(error) == pytest.approx(4, rel=0.05)
    assert float(data.risk(data.w_star)) == 4


def test_the_same_seed_gives_the_same_data():
    a, b, c = (planted(5, 3, reps=2, rng=rng(s)) for s in (1, 1, 2))
    assert torch.equal(a.phi, b.phi) and torch.equal(a.y, b.y) and not torch.equal(a.y, c.y)
    assert a.phi.shape == (2, 5, 3) and a.y.shape == (2, 5)


def test_a_singular_covariance_is_one_and_an_indefinite_one_is_not():
    flat = torch.tensor([[1.0, 1.0], [1.0, 1.0]], dtype=torch.float64)
    phi = planted(10, 2, Sigma=flat, rng=rng()).phi
    torch.testing.assert_close(phi[:, 0], phi[:, 1], atol=1e-7, rtol=0)
    with pytest.raises(InputError, match="semi-definite"):
        planted(10, 2, Sigma=torch.diag(torch.tensor([1.0, -1.0]).double()), rng=rng())


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="sigma"):
        planted(3, 2, sigma=-1.0, rng=rng())
