import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from corollary.errors import InputError
from corollary.theory.connectionism.linearity import is_affine
from corollary.theory.networks.activations import (
    ACTIVATIONS,
    LINEAR,
    RELU,
    activation,
    elu,
    elu_activation,
    leaky_relu,
    leaky_relu_activation,
    relu,
    relu_derivative,
)

ALL = [*ACTIVATIONS.values(), leaky_relu_activation(0.5), elu_activation(0.5), elu_activation(2.0)]
Z = torch.arange(-80, 81, dtype=torch.float64) / 10
each = pytest.mark.parametrize("phi", ALL, ids=lambda phi: f"{phi.name} {phi.range}")


def slope(f, z):
    z = z.clone().requires_grad_(True)
    return torch.autograd.grad(f(z).sum(), z)[0]


@each
def test_the_derivative_is_that_of_autograd(phi):
    away = Z[Z != 0]
    torch.testing.assert_close(phi.derivative(away), slope(phi, away), rtol=1e-10, atol=1e-14)
    assert torch.autograd.gradcheck(phi, (away.clone().requires_grad_(True),))


@each
def test_no_slope_is_above_the_lipschitz_constant_and_one_comes_near(phi):
    top = phi.derivative(Z).max().item()
    assert top <= phi.lipschitz
    assert phi.derivative(torch.tensor([-1e-9, 0.0, 1.0]).double()).max() == pytest.approx(
        phi.lipschitz
    )


@each
def test_the_inverse_undoes_it(phi):
    if phi.inverse is None:
        assert phi(torch.tensor([-2.0])) == phi(torch.tensor([-1.0]))
    else:
        torch.testing.assert_close(phi.inverse(phi(Z)), Z, rtol=1e-9, atol=1e-9)


@each
def test_values_stay_in_the_range_and_finite_at_ten_thousand(phi):
    low, high = phi.range
    far = phi(torch.tensor([-1e4, -1.0, 0.0, 1e4]))
    assert bool(far.isfinite().all()) and bool((far >= low).all()) and bool((far <= high).all())
    assert bool(phi.derivative(torch.tensor([-1e4, 1e4])).isfinite().all())


@each
@given(c=st.floats(0, 100), z=st.floats(-50, 50))
def test_homogeneity_is_as_declared(phi, c, z):
    value = torch.tensor([z], dtype=torch.float64)
    if phi.homogeneous:
        torch.testing.assert_close(phi(c * value), c * phi(value), rtol=1e-12, atol=1e-300)


@each
def test_it_is_smooth_at_zero_exactly_if_it_says_so(phi):
    left, right = phi.derivative(torch.tensor([-1e-12, 1e-12], dtype=torch.float64)).tolist()
    assert (abs(left - right) < 1e-9) == phi.smooth


def test_relu_matches_torch_at_zero_too_and_other_subgradients_may_be_chosen():
    z = torch.tensor([-1.0, 0.0, 2.0])
    assert torch.equal(relu(z), torch.relu(z))
    assert slope(relu, z).tolist() == slope(torch.relu, z).tolist() == [0, 0, 1]
    assert slope(lambda t: relu(t, at_zero=1), z).tolist() == [0, 1, 1]
    assert relu_derivative(z, at_zero=0.5).tolist() == [0, 0.5, 1]
    assert relu(torch.tensor([math.nan]), at_zero=0.5).isnan()


def test_every_number_is_its_positive_part_minus_that_of_its_negative():
    assert torch.equal(relu(Z) - relu(-Z), Z)


def test_a_dead_unit_has_no_gradient():
    w = torch.tensor([1.0, 1.0], requires_grad=True)
    relu(torch.full((5, 2), -1.0) @ w).sum().backward()
    assert w.grad.tolist() == [0, 0]


def test_leaky_relu_is_torchs_and_the_maximum_of_two_lines():
    assert torch.equal(leaky_relu(Z), F.leaky_relu(Z, negative_slope=0.1))
    torch.testing.assert_close(leaky_relu(Z, 0.3), torch.maximum(0.3 * Z, Z), rtol=0, atol=0)


def test_a_slope_above_one_would_pick_the_wrong_branch():
    z = torch.tensor([-1.0, 1.0])
    assert torch.maximum(2 * z, z).tolist() == [-1, 2]  # not z for positive z
    with pytest.raises(InputError, match="0 <= a < 1"):
        leaky_relu(z, 2.0)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_elu_is_torchs_and_its_slope_jumps_by_one_minus_alpha(alpha):
    assert torch.equal(elu(Z, alpha), F.elu(Z, alpha))
    left, right = slope(lambda z: elu(z, alpha), torch.tensor([-1e-13, 1e-13]).double()).tolist()
    assert abs(right - left) == pytest.approx(abs(1 - alpha), abs=1e-9)
    assert elu(torch.tensor([-1e4]), alpha).item() == -alpha


def test_a_network_of_linear_activations_is_one_affine_map():
    rng = torch.Generator().manual_seed(0)
    W, V = torch.randn(2, 4, 4, generator=rng, dtype=torch.float64)
    b = torch.ones(4, dtype=torch.float64)

    def network(x, phi):
        return phi(phi(x @ W.T + b) @ V.T)

    torch.testing.assert_close(network(Z[:12].reshape(3, 4), LINEAR), network_collapsed(W, V, b))
    assert is_affine(lambda x: network(x, LINEAR), 4, rng=rng)
    assert not is_affine(lambda x: network(x, RELU), 4, rng=rng)


def network_collapsed(W, V, b):
    return Z[:12].reshape(3, 4) @ (V @ W).T + V @ b


def test_wrong_parameters_and_names_are_refused_in_one_sentence():
    with pytest.raises(InputError, match="alpha > 0, got alpha=-1"):
        elu(Z, -1.0)
    with pytest.raises(InputError, match=r"in \[0, 1\], got 2"):
        relu(Z, at_zero=2)
    with pytest.raises(InputError, match="one of linear, relu.*got 'swish'"):
        activation("swish")
    with pytest.raises(InputError, match="above -1, got -3"):
        activation("elu").inverse(torch.tensor([-3.0]))
