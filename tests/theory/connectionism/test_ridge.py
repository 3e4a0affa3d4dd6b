import pytest
import torch
from torch.nn import functional as F

from corollary.errors import InputError
from corollary.theory.connectionism.ridge import parameter_gradient, rate_of_change, slope_of

SMOOTH = [torch.sigmoid, torch.tanh, F.softplus, torch.sin]


def drawn(k=30, n=6, seed=0):
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(k, n, generator=rng, dtype=torch.float64)
    return x, torch.randn(n, generator=rng, dtype=torch.float64)


@pytest.mark.parametrize("phi", SMOOTH)
def test_the_rate_is_the_length_of_the_gradient_that_autograd_finds(phi):
    x, theta = drawn()
    x.requires_grad_(True)
    (gradient,) = torch.autograd.grad(phi(x @ theta).sum(), x)
    torch.testing.assert_close(rate_of_change(phi, x, theta), gradient.norm(dim=1))


@pytest.mark.parametrize("phi", [*SMOOTH, torch.exp, torch.atan])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_smooth_function_has_a_slope_everywhere(phi, dtype):
    z = torch.linspace(-8, 8, 1001, dtype=dtype)
    assert not slope_of(phi, z).isnan().any()


@pytest.mark.parametrize("phi", [torch.relu, torch.abs, F.leaky_relu, F.relu6, torch.sign])
def test_a_kink_or_a_jump_is_marked_as_undefined(phi):
    z = torch.tensor([-1.0, 0.0, 1.0], dtype=torch.float64)
    assert slope_of(phi, z).isnan().tolist() == [False, True, False]


def test_a_step_made_of_comparisons_is_flat_and_undefined_at_the_jump():
    def step(z):
        return (z >= 0).to(z.dtype)

    assert slope_of(step, torch.tensor([-1.0, 1.0])).tolist() == [0, 0]
    assert slope_of(step, torch.zeros(1)).isnan().all()


@pytest.mark.parametrize("phi", [*SMOOTH, torch.relu])
def test_the_parameter_gradient_is_that_of_autograd_and_points_along_the_input(phi):
    x, theta = drawn()
    y = torch.linspace(-1, 1, len(x), dtype=x.dtype)

    def loss(f):
        return (f - y) ** 2

    found = parameter_gradient(phi, x, theta, loss)
    expected = torch.func.jacrev(lambda t: loss(phi(x @ t)))(theta)
    torch.testing.assert_close(found, expected)
    nonzero = found.norm(dim=1) > 0
    cosine = torch.cosine_similarity(found, x, dim=1)[nonzero]
    torch.testing.assert_close(cosine.abs(), torch.ones_like(cosine))


def test_bad_shapes_and_numbers_are_refused():
    x, theta = drawn()
    with pytest.raises(InputError, match=r"x has shape \(30, 6\) and theta \(5,\)"):
        rate_of_change(torch.relu, x, theta[:-1])
    x[0, 0] = torch.nan
    with pytest.raises(InputError, match="NaN or inf"):
        parameter_gradient(torch.relu, x, theta, torch.square)
    with pytest.raises(InputError, match="entry by entry"):
        slope_of(torch.sum, theta)
