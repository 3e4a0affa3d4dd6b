import math

import pytest
import torch

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.kernels.infinite import Dense, Relu, network
from corollary.theory.kernels.kernel import is_psd
from corollary.theory.kernels.two_layer import (
    h_infinity,
    h_infinity_series,
    h_series,
    linear_target_bound,
    ntk_complexity,
    ntk_relu_two_layer,
)


def draw(*shape):
    return torch.randn(*shape, generator=generator(0, "two layers", *shape), dtype=torch.float64)


def unit(n, d):
    x = draw(n, d)
    return x / x.norm(dim=1, keepdim=True)


def test_h_infinity_is_the_mean_over_weights():
    x = unit(4, 3)
    on = (x @ draw(3, 200_000) > 0).double()
    sampled = (x @ x.T) * (on @ on.T) / 200_000
    assert (sampled - h_infinity(x)).abs().max() < 5 * 0.5 / 200_000**0.5
    assert torch.allclose(h_infinity(x).diagonal(), torch.full((4,), 0.5, dtype=torch.float64))


def test_h_infinity_is_definite_unless_inputs_are_parallel():
    x = unit(8, 3)
    assert torch.linalg.eigvalsh(h_infinity(x))[0] > 1e-4
    assert torch.linalg.eigvalsh(h_infinity(torch.cat([x, x[:1]])))[0] < 1e-12


def test_inputs_that_are_not_of_length_one_are_refused():
    with pytest.raises(InputError, match="length 1"):
        h_infinity(2 * unit(2, 3))


def test_partial_sums_rise_to_the_closed_form_and_every_term_is_definite():
    x = unit(6, 3)
    before = h_infinity_series(x, 0)
    assert torch.allclose(before, x @ x.T / 4)
    for terms in (1, 2, 5, 20):
        now = h_infinity_series(x, terms)
        assert is_psd(now - before)
        before = now
    assert is_psd(h_infinity(x) - x @ x.T / 4)
    inside = torch.tensor([-0.7, 0.3, 0.9], dtype=torch.float64)
    exact = inside * (math.pi - torch.acos(inside)) / (2 * math.pi)
    assert torch.allclose(h_series(inside, 200), exact, atol=1e-14)
    assert abs(h_series(torch.tensor(1.0).double(), 200) - 0.5) < 1e-2  # slowly at the edge
    assert abs(h_series(torch.tensor(1.0).double(), 200) - 0.5) > 1e-3
    with pytest.raises(InputError, match="terms"):
        h_infinity_series(x, -1)


@pytest.mark.parametrize(("n", "d"), [(5, 10), (30, 10)])
def test_linear_targets_obey_the_bound_below_and_above_the_dimension(n, d):
    x, beta = unit(n, d), draw(d)
    assert ntk_complexity(x, x @ beta) <= linear_target_bound(beta, n)
    h, k = h_infinity(x), x @ x.T
    assert h.trace() == pytest.approx(n / 2)
    assert is_psd(h - k / 4)
    if n <= d:
        assert is_psd(4 * torch.linalg.inv(k) - torch.linalg.inv(h))
    else:
        assert torch.linalg.matrix_rank(k) == d  # the inverse of the exercise does not exist


def test_repeated_inputs_have_no_complexity():
    x = unit(3, 4)
    with pytest.raises(InputError, match="parallel"):
        ntk_complexity(torch.cat([x, x]), draw(6))


def test_the_two_layer_kernel_is_the_recursion_and_homogeneous():
    x, y = draw(4, 5), draw(3, 5)
    # Σ¹ = <x, x'> is a dense layer with σ_w² = d, whose own weights then count d-fold less.
    first = network(Dense(5**0.5), Relu(), Dense(2**0.5)).kernel(x, y)
    assert torch.allclose(ntk_relu_two_layer(x, y), first.ntk)
    assert torch.allclose(ntk_relu_two_layer(2 * x, 3 * y), 6 * ntk_relu_two_layer(x, y))
    assert torch.allclose(ntk_relu_two_layer(x, y, scale=1.0), ntk_relu_two_layer(x, y) / 2)
    zero = torch.zeros(1, 5, dtype=torch.float64)
    assert ntk_relu_two_layer(zero, y).abs().max() == 0
