import pytest
import torch

from corollary.errors import InputError
from corollary.theory.geometry.local_mean import laplace_operator, laplacian_by_means, sphere_mean


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


@pytest.fixture
def x(rng):
    return torch.randn(5, 3, generator=rng, dtype=torch.float64)


def test_harmonic_functions_have_no_laplacian_and_equal_their_mean(x, rng):
    def f(x):
        return x[:, 0] ** 2 + x[:, 1] ** 2 - 2 * x[:, 2] ** 2 + x[:, 0] * x[:, 1] + 7

    assert torch.allclose(laplace_operator(f, x), torch.zeros(5).double(), atol=1e-12)
    assert torch.allclose(sphere_mean(f, x, 0.7, rng=rng), f(x))


def test_quadratics_are_exact_at_any_radius(x, rng):
    Q = torch.randn(3, 3, generator=rng, dtype=torch.float64)

    def f(x):
        return (x @ Q * x).sum(1) + x[:, 0]

    truth = 2 * Q.trace().expand(5)
    assert torch.allclose(laplace_operator(f, x), truth)
    assert torch.allclose(laplacian_by_means(f, x, 3.0, rng=rng), truth)


def test_the_quotient_is_off_by_the_square_of_the_radius(x, rng):
    def f(x):
        return torch.sin(x[:, 0]) * torch.exp(x[:, 1] / 2) + x[:, 2] ** 4

    truth = laplace_operator(f, x)
    errors = []
    for r in (0.4, 0.2, 0.1):
        frame = torch.Generator().manual_seed(1)
        errors.append((laplacian_by_means(f, x, r, rng=frame) - truth).abs())
    assert torch.allclose(errors[0] / errors[1], torch.full((5,), 4.0).double(), rtol=0.1)
    assert torch.allclose(errors[1] / errors[2], torch.full((5,), 4.0).double(), rtol=0.03)


def test_many_frames_approach_the_mean_of_the_sphere(rng):
    """On the unit sphere in three dimensions the mean of x^4 is 1/5."""
    x = torch.zeros(1, 3, dtype=torch.float64)
    mean = sphere_mean(lambda x: x[:, 0] ** 4, x, 1.0, frames=4000, rng=rng)
    assert float(mean) == pytest.approx(0.2, abs=0.01)


def test_an_affine_function_has_none_and_wrong_shapes_are_refused(x, rng):
    assert laplace_operator(lambda x: x[:, 0] + 1, x).tolist() == [0.0] * 5
    with pytest.raises(InputError, match="one number per point"):
        laplace_operator(lambda x: x, x)
    with pytest.raises(InputError):
        sphere_mean(lambda x: x[:, 0], x, 0.0, rng=rng)
