import math

import pytest
import torch
from scipy import stats

from corollary.errors import InputError
from corollary.theory.prerequisites.gaussian import (
    Gaussian,
    affine_gaussian,
    gaussian_moments,
)


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def law(k, seed=0):
    root = normal(k, k, seed=seed)
    return Gaussian(normal(k, seed=seed + 9), root @ root.T)


@pytest.mark.parametrize("k", [1, 2, 4])
def test_quadrature_reproduces_mean_and_covariance(k):
    X = law(k)
    mean, covariance = gaussian_moments(X.mean, X.covariance)
    assert torch.allclose(mean, X.mean, atol=1e-10, rtol=0)
    assert torch.allclose(covariance, X.covariance, atol=1e-10, rtol=0)


def test_one_node_is_too_few_for_a_covariance():
    X = law(2)
    assert float(gaussian_moments(X.mean, X.covariance, nodes=1)[1].abs().max()) == 0.0


def test_the_density_is_that_of_scipy_and_integrates_to_one():
    X = law(2)
    x = X.mean + 2 * normal(20, 2, seed=3)
    expected = stats.multivariate_normal(X.mean.numpy(), X.covariance.numpy()).logpdf(x.numpy())
    assert X.log_density(x).numpy() == pytest.approx(expected)
    one = Gaussian(torch.tensor([0.5]).double(), torch.tensor([[4.0]]).double())
    t = torch.linspace(-30, 30, 20001, dtype=torch.float64)
    assert float(torch.trapezoid(one.log_density(t[:, None]).exp(), t)) == pytest.approx(1)


def test_draws_have_the_mean_and_covariance():
    X = law(3)
    x = X.sample(20000, rng=rng())
    spread = X.covariance.diagonal().sqrt()
    assert ((x.mean(dim=0) - X.mean).abs() <= 5 * spread / 20000**0.5).all()
    bound = 8 * spread[:, None] * spread[None] / 20000**0.5
    assert ((x.T.cov() - X.covariance).abs() <= bound).all()


@pytest.mark.parametrize(("p", "k"), [(1, 3), (3, 3), (5, 2)])
def test_affine_images_match_their_law(p, k):
    X, A, b = law(k), normal(p, k, seed=1), normal(p, seed=2)
    Y = X.affine(A, b)
    n = 20000
    y = X.sample(n, rng=rng(1)) @ A.T + b
    spread = Y.covariance.diagonal().sqrt()
    assert ((y.mean(dim=0) - Y.mean).abs() <= 5 * spread / n**0.5).all()
    bound = 8 * spread[:, None] * spread[None] / n**0.5
    assert ((torch.cov(y.T).reshape(p, p) - Y.covariance).abs() <= bound).all()
    for u in normal(3, p, seed=4):
        mean, sd = float(u @ Y.mean), float(u @ Y.covariance @ u) ** 0.5
        assert stats.kstest((y @ u).numpy(), "norm", args=(mean, sd)).pvalue > 1e-4
        t = 1 / sd  # characteristic function at one standard deviation
        phi = torch.exp(1j * t * (y @ u)).mean()
        expected = torch.exp(torch.tensor(1j * t * mean - 0.5, dtype=torch.complex128))
        assert float((phi - expected).abs()) < 5 / n**0.5


def test_singular_images_are_laws_without_density():
    Y = law(2).affine(normal(3, 2, seed=1), torch.zeros(3, dtype=torch.float64))
    assert math.isclose(float(torch.linalg.eigvalsh(Y.covariance)[0]), 0, abs_tol=1e-12)
    with pytest.raises(InputError, match="Sigma is singular"):
        Y.log_density(normal(1, 3))


def test_bad_input_is_named():
    eye, zero = torch.eye(2, dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
    with pytest.raises(InputError, match="positive semi-definite"):
        Gaussian(zero, torch.diag(torch.tensor([1.0, -1.0], dtype=torch.float64)))
    with pytest.raises(InputError, match="must be symmetric"):
        Gaussian(zero, torch.tensor([[1.0, 0.5], [0.0, 1.0]], dtype=torch.float64))
    with pytest.raises(InputError, match="length of mu"):
        Gaussian(zero[:1], eye)
    with pytest.raises(InputError, match="A must be 1 x 2"):
        affine_gaussian(zero, eye, torch.ones(1, 3, dtype=torch.float64), zero[:1])
    with pytest.raises(InputError, match=r"quadrature points, got 9\^9"):
        law(9).expectation(lambda x: x, nodes=9)
