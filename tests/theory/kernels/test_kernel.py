import math

import pytest
import torch
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import polynomial_kernel

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.connectionism.separability import linear_separability
from corollary.theory.kernels.kernel import PolynomialKernel, RBFKernel, is_psd


def draw(*shape):
    return torch.randn(*shape, generator=generator(0, "kernel", *shape), dtype=torch.float64)


@pytest.mark.parametrize("kernel", [PolynomialKernel(2), PolynomialKernel(3, 1.5), RBFKernel(0.7)])
def test_gram_matrices_are_positive_semi_definite(kernel):
    values = torch.linalg.eigvalsh(kernel(draw(20, 3)))
    assert values[0] >= -1e-10 * values[-1]
    assert is_psd(kernel(draw(20, 3)))


@pytest.mark.parametrize(("degree", "c", "d"), [(1, 0.0, 3), (2, 0.0, 2), (3, 0.5, 3), (4, 2.0, 2)])
def test_explicit_features_reproduce_the_polynomial_kernel(degree, c, d):
    kernel, x, y = PolynomialKernel(degree, c), draw(6, d), draw(5, d)
    features = kernel.features(x)
    assert torch.allclose(features @ kernel.features(y).T, kernel(x, y))
    assert features.shape[1] == math.comb(d + (c > 0) + degree - 1, degree)
    theirs = polynomial_kernel(x.numpy(), y.numpy(), degree=degree, gamma=1.0, coef0=c)
    assert torch.allclose(kernel(x, y), torch.from_numpy(theirs))


def test_concentric_circles_become_separable_in_feature_space_only():
    turn = torch.arange(12).double() / 12 * 2 * math.pi
    circle = torch.stack([turn.cos(), turn.sin()], dim=1)
    x, y = torch.cat([circle, 2 * circle]), torch.tensor([-1.0] * 12 + [1.0] * 12)
    assert not linear_separability(x, y)
    assert linear_separability(PolynomialKernel(2).features(x), y)


def test_the_rbf_kernel_equals_sklearns_and_is_strictly_definite_on_distinct_points():
    x, y = draw(7, 2), draw(5, 2)
    assert torch.allclose(RBFKernel(0.6)(x, y), torch.from_numpy(RBF(0.6)(x.numpy(), y.numpy())))
    assert torch.linalg.eigvalsh(RBFKernel()(x))[0] > 0
    near = RBFKernel()(torch.tensor([[0.0], [1e-4]], dtype=torch.float64))
    assert 1 - near[0, 1] == pytest.approx(5e-9, rel=1e-6)


def test_random_fourier_features_are_unbiased():
    x, rng = draw(4, 2), generator(0, "fourier")
    drawn = [RBFKernel().random_features(x, 50, rng=rng) for _ in range(400)]
    products = torch.stack([phi @ phi.T for phi in drawn])
    error = products.std(0) / 20
    assert ((products.mean(0) - RBFKernel()(x)).abs() < 5 * error + 1e-12).all()


def test_bad_kernels_are_named():
    with pytest.raises(InputError, match="length scale"):
        RBFKernel(0.0)
    with pytest.raises(InputError, match="degree"):
        PolynomialKernel(0)
    with pytest.raises(InputError, match="no feature map"):
        RBFKernel().features(draw(2, 2))
    with pytest.raises(InputError, match="at least one feature"):
        RBFKernel().random_features(draw(2, 2), 0, rng=generator(0))
