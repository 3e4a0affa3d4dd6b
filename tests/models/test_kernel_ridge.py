import math

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from sklearn.kernel_ridge import KernelRidge as Peer

from corollary.errors import InputError
from corollary.models.kernel_ridge import KernelRidge
from corollary.theory.double_descent.bias_variance import ridge_estimate
from corollary.theory.kernels.gaussian_process import GP
from corollary.theory.kernels.kernel import PolynomialKernel, RBFKernel


def data(n=15, d=2, seed=0):
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(n, d, generator=rng, dtype=torch.float64)
    return x, torch.randn(n, generator=rng, dtype=torch.float64)


def test_it_is_scikit_learns_with_n_times_the_regulariser():
    x, y = data()
    new, _ = data(7, seed=1)
    peer = Peer(alpha=15 * 0.1, kernel="rbf", gamma=0.5).fit(x, y)
    np.testing.assert_allclose(
        KernelRidge(RBFKernel(), 0.1).fit(x, y).predict(new), peer.predict(new), rtol=1e-10
    )


def test_it_is_ridge_regression_on_the_features():
    x, y = data()
    kernel = PolynomialKernel(3, c=1.0)
    w = ridge_estimate(kernel.features(x), y, 0.05)
    fitted = KernelRidge(kernel, 0.05).fit(x, y)
    torch.testing.assert_close(fitted.predict(x), kernel.features(x) @ w, rtol=1e-8, atol=1e-9)
    assert fitted.squared_norm() == pytest.approx(float(w.square().sum()), rel=1e-8)


def test_no_other_coefficients_are_better():
    x, y = data()
    fitted = KernelRidge(RBFKernel(), 0.1).fit(x, y)
    k = RBFKernel()(x)
    alpha = fitted.alpha.clone().requires_grad_()
    value = (y - k @ alpha).square().mean() + 0.1 * alpha @ k @ alpha
    (gradient,) = torch.autograd.grad(value, alpha)
    assert float(gradient.abs().max()) < 1e-12
    assert fitted.objective() == pytest.approx(value.item())


def test_without_a_regulariser_it_passes_through_the_data():
    x, y = data()
    k = RBFKernel(0.7)
    torch.testing.assert_close(KernelRidge(k, 0.0).fit(x, y).predict(x), y, rtol=1e-7, atol=1e-7)
    near = KernelRidge(k, 1e-9).fit(x, y).predict(x)
    torch.testing.assert_close(near, y, rtol=1e-3, atol=1e-3)


def test_it_is_the_posterior_mean_with_noise_n_lambda():
    x, y = data()
    new, _ = data(6, seed=2)
    mean, _ = GP(RBFKernel()).posterior(x, y, new, noise=15 * 0.2)
    torch.testing.assert_close(KernelRidge(RBFKernel(), 0.2).fit(x, y).predict(new), mean)


def test_the_norm_of_one_centre_is_its_kernel_and_not_an_integral():
    """Erratum: the inner product of the space is not the integral of f g."""
    x0 = torch.zeros(1, 1, dtype=torch.float64)
    fitted = KernelRidge(RBFKernel(), 0.0).fit(x0, torch.ones(1, dtype=torch.float64))
    integral, _ = quad(lambda t: math.exp(-(t**2) / 2) ** 2, -20, 20)
    assert fitted.squared_norm() == pytest.approx(1.0)
    assert integral == pytest.approx(math.sqrt(math.pi))


def test_predicting_before_fitting_and_a_negative_regulariser_are_refused():
    with pytest.raises(InputError, match="fit"):
        KernelRidge(RBFKernel(), 0.1).predict(torch.zeros(1, 1))
    with pytest.raises(InputError, match="lam"):
        KernelRidge(RBFKernel(), -0.1)
