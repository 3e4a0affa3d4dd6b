"""Shallow networks: gradients, bounds, Gram matrices, steps in function space."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from corollary.errors import InputError
from corollary.theory.kernels.empirical import empirical_ntk
from corollary.theory.kernels.shallow import (
    flow_step,
    linearisation_bound,
    linearise,
    shallow_gradient,
    smoothness,
    two_layer_gram,
)

D = torch.float64
RNG = torch.Generator().manual_seed(0)


def draw(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=RNG, dtype=D)


def test_the_gradient_is_autograds():
    w, a, x, v = draw(6, 3).requires_grad_(), draw(6), draw(3), draw(6, 3)
    (truth,) = torch.autograd.grad(torch.tanh(w @ x) @ a, w)
    w = w.detach()
    ours = shallow_gradient(w, a, x, torch.tanh)
    assert torch.allclose(ours, truth, atol=1e-12)
    slopes = 1 - torch.tanh(w @ x) ** 2
    assert float((ours * v).sum()) == pytest.approx(float((a * slopes * (v @ x)).sum()), abs=1e-10)


@pytest.mark.parametrize(
    ("name", "sigma"),
    [("tanh", torch.tanh), ("sigmoid", torch.sigmoid), ("softplus", functional.softplus)],
)
def test_random_moves_stay_below_the_bound_and_beta_is_the_largest_curvature(name, sigma):
    z = torch.linspace(-4, 4, 20001, dtype=D, requires_grad=True)
    (first,) = torch.autograd.grad(sigma(z).sum(), z, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), z)
    assert float(second.abs().max()) == pytest.approx(smoothness(name), rel=1e-6)
    for m in (4, 64):
        w0, x = draw(m, 3), draw(3)
        a = draw(m).sign() / m**0.5
        w = w0 + draw(m, 3)
        error = abs(float(sigma(w @ x) @ a - linearise(w0, a, x, sigma)(w)))
        bound = linearisation_bound(smoothness(name), m, float((w - w0).norm()), float(x.norm()))
        assert error <= bound


def test_relu_has_no_constant():
    with pytest.raises(InputError, match="kink"):
        smoothness("relu")


def test_the_gram_matrix_is_that_of_the_gradients_and_positive():
    w, x = draw(40, 3), draw(7, 3)
    h = two_layer_gram(w, x)
    assert float(torch.linalg.eigvalsh(h)[0]) > -1e-12
    active = (x @ w.T > 0).double().mean(1)
    assert torch.allclose(h.diagonal(), active * x.square().sum(1))
    unit = x / x.norm(dim=1, keepdim=True)
    assert float(two_layer_gram(w, unit).trace()) == pytest.approx(
        float((unit @ w.T > 0).double().mean(1).sum())
    )


def test_a_step_in_function_space_is_right_to_second_order():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2)).to(D)
    x, y = draw(5, 3), draw(5, 2)
    gaps = []
    for dt in (1e-3, 1e-4):
        step = flow_step(model, x, y, dt)
        gaps.append(float((step.moved - step.kernel).norm()))
    assert gaps[0] / gaps[1] == pytest.approx(100, rel=0.05)
    with torch.no_grad():
        f = model(x)
    before, after = (((y - g) ** 2).sum() / 2 for g in (f, f + step.moved))
    assert float(after - before) / 1e-4 == pytest.approx(step.loss_slope, rel=1e-2)
    assert step.loss_slope < 0
    k = empirical_ntk(model, x, mode="full")
    assert torch.allclose(torch.einsum("ijop,jp->io", k, y - f) * 1e-4, step.kernel)
