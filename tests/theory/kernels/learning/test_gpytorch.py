"""The kernel for GPyTorch: a clear word without it, the right numbers with it."""

from importlib.util import find_spec

import pytest
import torch

from corollary.errors import MissingExtraError
from corollary.theory.kernels.infinite import Dense, Relu, network
from corollary.theory.kernels.learning.gpytorch import gpytorch_kernel

HERE = find_spec("gpytorch") is not None


def make(w, b):
    return network(Dense(w, b), Relu(), Dense(w, b))


@pytest.mark.skipif(HERE, reason="GPyTorch is installed")
def test_without_gpytorch_the_remedy_is_named():
    with pytest.raises(MissingExtraError, match="pip install gpytorch"):
        gpytorch_kernel(make)


@pytest.mark.skipif(not HERE, reason="GPyTorch is not installed")
def test_values_and_gradients_are_those_of_the_network():
    kernel = gpytorch_kernel(make, sigma_w=1.5, sigma_b=0.2)
    x, y = torch.randn(4, 3), torch.randn(2, 3)
    truth = make(torch.tensor(1.5), torch.tensor(0.2))
    assert torch.allclose(kernel(x, y).to_dense(), truth.nngp(x, y), atol=1e-5)
    assert torch.allclose(kernel(x, diag=True), truth.nngp(x).diagonal(), atol=1e-5)
    kernel(x).to_dense().sum().backward()
    assert kernel.raw_sigma_w.grad is not None and float(kernel.raw_sigma_b.grad.abs()) > 0
