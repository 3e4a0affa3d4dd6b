import pytest
import torch

from corollary.errors import InputError
from corollary.theory.architectures.normalization import (
    bn_linear_identity,
    normalize,
    normalize_gradient,
)


def normal(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("correction", [0, 1])
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 2)])
def test_the_gradient_is_that_of_autograd(axes, correction):
    z, slope = normal(5, 4, 3).requires_grad_(), normal(5, 4, 3, seed=1)
    out = normalize(z, axes, delta=0.1, correction=correction)
    (expected,) = torch.autograd.grad(out.z, z, slope)
    found = normalize_gradient(slope, out, axes, correction=correction)
    torch.testing.assert_close(found, expected)


def test_both_sides_are_equal_for_points_off_centre_and_any_length_of_w():
    w, X = normal(4), 5 + normal(30, 4, seed=1) * torch.arange(1, 5)
    both, longer = bn_linear_identity(w, X), bn_linear_identity(10 * w, X)
    torch.testing.assert_close(both.normalized, both.by_direction, rtol=0, atol=1e-10)
    torch.testing.assert_close(longer.by_direction, both.by_direction, rtol=0, atol=1e-10)


def test_whitened_points_have_ratio_1():
    X = normal(50, 3)
    X = X - X.mean(0)
    values, Q = torch.linalg.eigh(X.T @ X / len(X))
    assert bn_linear_identity(normal(3, seed=1), X @ (Q / values.sqrt())).ratio == pytest.approx(1)


def test_the_second_moment_is_26_where_the_variance_is_1():
    X = torch.tensor([[4.0], [6.0]], dtype=torch.float64)  # mean 5, variance 1
    assert bn_linear_identity(torch.ones(1, dtype=torch.float64), X).ratio == 1
    assert float((X.T @ X / 2).squeeze()) == 26


def test_a_constant_unit_is_refused():
    with pytest.raises(InputError, match="same on the whole batch"):
        bn_linear_identity(torch.zeros(2), torch.randn(3, 2))
