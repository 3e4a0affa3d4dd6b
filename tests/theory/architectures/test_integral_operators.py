import math

import pytest
import torch

from corollary.errors import InputError
from corollary.theory.architectures.integral_operators import (
    fourier_kernel,
    integral_operator,
    numerical_convolve,
    trapezoid_weights,
)


def gaussian(variance):
    return lambda *t: (
        torch.exp(-sum(s**2 for s in t) / (2 * variance)) / (2 * math.pi * variance) ** (len(t) / 2)
    )


def box(t):
    return torch.heaviside(0.5 - t.abs(), torch.tensor(0.5, dtype=t.dtype))


def test_the_gaussian_is_its_own_fourier_transform():
    t = torch.linspace(-6, 6, 241, dtype=torch.float64)
    u = torch.linspace(-2, 2, 21, dtype=torch.float64)
    f = torch.exp(-math.pi * t**2).to(torch.complex128)
    out = integral_operator(fourier_kernel, t, u) @ f
    torch.testing.assert_close(out, torch.exp(-math.pi * u**2) + 0j, atol=1e-8, rtol=0)


def test_the_operator_is_linear_and_its_convolution_kernel_is_the_convolution():
    t = torch.linspace(-8, 8, 161, dtype=torch.float64)
    f, h = gaussian(0.5), gaussian(1.0)
    T = integral_operator(lambda u, t: h(u - t), t)
    torch.testing.assert_close(T @ (2 * f(t) - t), 2 * (T @ f(t)) - T @ t)
    torch.testing.assert_close(T @ f(t), numerical_convolve(f, h, t))


def test_the_kernel_of_the_identity_grows_without_bound_as_the_grid_is_refined():
    """The kernel on a grid is 1/a at zero: in the limit it is no function."""
    for a in (0.1, 0.01, 0.001):
        t = torch.arange(-5, 6, dtype=torch.float64) * a
        kernel = torch.eye(len(t), dtype=torch.float64) / trapezoid_weights(t)
        assert float(kernel[5, 5]) == pytest.approx(1 / a)


@pytest.mark.parametrize("axes", [1, 2])
def test_variances_of_gaussians_add(axes):
    t = torch.linspace(-6, 6, 81, dtype=torch.float64)
    grid = torch.meshgrid(*[t] * axes, indexing="ij")
    out = numerical_convolve(gaussian(0.3), gaussian(0.5), *[t] * axes)
    torch.testing.assert_close(out, gaussian(0.8)(*grid), atol=1e-10, rtol=0)


def test_box_with_box_is_the_triangle_better_on_finer_grids():
    def error(n):
        t = torch.linspace(-2, 2, 4 * n + 1, dtype=torch.float64)
        return float((numerical_convolve(box, box, t) - (1 - t.abs()).clamp(min=0)).abs().max())

    errors = [error(n) for n in (8, 16, 32, 64)]
    assert all(b < 0.6 * a for a, b in zip(errors, errors[1:], strict=False))


def test_bad_grids_are_refused():
    with pytest.raises(InputError, match="ascending"):
        trapezoid_weights(torch.tensor([1.0, 0.0]))
    with pytest.raises(InputError, match="uniform"):
        numerical_convolve(box, box, torch.tensor([0.0, 1.0, 3.0]))
    with pytest.raises(InputError, match="one or two axes"):
        numerical_convolve(box, box)
