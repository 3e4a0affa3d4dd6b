"""The kernel for GPyTorch: a clear word without it, the right numbers with it."""

from importlib.util import find_spec

import pytest
import torch

from corollary.errors import InputError, MissingExtraError
from corollary.theory.kernels.infinite import Dense, Relu, network
from corollary.theory.kernels.learning import ntk_regress
from corollary.theory.kernels.learning.gpytorch import gpytorch_kernel

HERE = find_spec("gpytorch") is not None


def make(w, b):
    return network(Dense(w, b), Relu(), Dense(w, b))


@pytest.mark.skipif(HERE, reason="GPyTorch is installed")
def test_without_gpytorch_the_remedy_is_named():
    with pytest.raises(MissingExtraError, match="pip install gpytorch"):
        gpytorch_kernel(make)


def test_spreads_that_cannot_be_learned_are_refused():
    with pytest.raises(InputError, match="must be positive"):
        gpytorch_kernel(make, sigma_b=0.0)


installed = pytest.mark.skipif(not HERE, reason="GPyTorch is not installed")


@installed
def test_values_and_gradients_are_those_of_the_network():
    kernel = gpytorch_kernel(make, sigma_w=1.5, sigma_b=0.2)
    x, y = torch.randn(4, 3), torch.randn(2, 3)
    truth = make(torch.tensor(1.5), torch.tensor(0.2))
    assert torch.allclose(kernel(x, y).to_dense(), truth.nngp(x, y), atol=1e-5)
    assert torch.allclose(kernel(x, diag=True), truth.nngp(x).diagonal(), atol=1e-5)
    kernel(x).to_dense().sum().backward()
    assert kernel.raw_sigma_w.grad is not None and float(kernel.raw_sigma_b.grad.abs()) > 0


@installed
@pytest.mark.parametrize("which", ["nngp", "ntk"])
def test_the_posterior_mean_of_an_exact_gp_is_kernel_ridge_regression(which):
    import gpytorch

    class Model(gpytorch.models.ExactGP):
        def __init__(self, x, y, likelihood):
            super().__init__(x, y, likelihood)
            self.kernel = gpytorch_kernel(make, sigma_w=1.4, sigma_b=0.3, which=which)

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(x.new_zeros(len(x)), self.kernel(x))

    x, at = torch.randn(30, 3, dtype=torch.float64), torch.randn(7, 3, dtype=torch.float64)
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Model(x, x.sin().sum(1), likelihood).double()
    likelihood.noise = 0.01
    evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)(model(x), x.sin().sum(1))
    evidence.backward()
    assert float(model.kernel.raw_sigma_w.grad.abs()) > 0
    model.eval()
    net = make(model.kernel.sigma_w.detach(), model.kernel.sigma_b.detach())
    ours = ntk_regress(net, x, x.sin().sum(1), at, ridge=likelihood.noise.item(), which=which)
    with torch.no_grad():
        assert torch.allclose(model(at).mean, ours.prediction, atol=1e-6)


@installed
def test_batches_and_diagonals_are_those_of_single_kernels_and_spreads_can_be_set():
    kernel = gpytorch_kernel(make)
    kernel.sigma_w = 1.2
    kernel.initialize(sigma_b=0.4)
    assert kernel.sigma_w.item() == pytest.approx(1.2) and kernel.sigma_b.item() == pytest.approx(
        0.4
    )
    x, y = torch.randn(2, 5, 3), torch.randn(5, 3)
    whole = kernel(x, y).to_dense()
    assert torch.allclose(whole[1], kernel(x[1], y).to_dense(), atol=1e-6)
    assert torch.allclose(kernel(x, y, diag=True), whole.diagonal(dim1=1, dim2=2), atol=1e-6)
