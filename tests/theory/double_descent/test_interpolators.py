import numpy as np
import pytest
import torch
from scipy.interpolate import BarycentricInterpolator

from corollary.errors import InputError
from corollary.theory.double_descent.interpolators import (
    linear_weights,
    noise_gain,
    polynomial_weights,
    singular_kernel_weights,
)


def equispaced(n):
    return torch.linspace(-1, 1, n, dtype=torch.float64)


def labels(n, seed=0):
    return torch.randn(n, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def kernel(nodes, x):
    return singular_kernel_weights(nodes[:, None], x[:, None])


@pytest.mark.parametrize("weights", [kernel, linear_weights, polynomial_weights])
def test_all_three_pass_through_their_points(weights):
    nodes = equispaced(15)
    torch.testing.assert_close(weights(nodes, nodes), torch.eye(15, dtype=torch.float64))


@pytest.mark.parametrize("weights", [kernel, linear_weights, polynomial_weights])
def test_all_three_keep_constants(weights):
    x = 1.8 * torch.rand(40, generator=torch.Generator().manual_seed(0), dtype=torch.float64) - 0.9
    torch.testing.assert_close(weights(equispaced(12), x).sum(dim=1), torch.ones_like(x))


def test_the_polynomial_is_that_of_scipy():
    nodes, y, x = equispaced(14), labels(14), torch.linspace(-0.99, 0.99, 31).double()
    peer = BarycentricInterpolator(nodes.numpy(), y.numpy())
    np.testing.assert_allclose(polynomial_weights(nodes, x) @ y, peer(x.numpy()), rtol=1e-8)


def test_the_lines_are_those_of_numpy():
    nodes, y, x = labels(20, 3).sort().values, labels(20), torch.linspace(-0.5, 0.5, 30).double()
    np.testing.assert_allclose(linear_weights(nodes, x) @ y, np.interp(x, nodes, y), atol=1e-12)


def test_lines_pass_on_two_thirds_of_the_noise_wherever_the_nodes_are():
    nodes = torch.rand(300, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    nodes = nodes.sort().values
    x = nodes[0] + (nodes[-1] - nodes[0]) * torch.linspace(0, 1, 200_001).double()
    assert noise_gain(linear_weights(equispaced(30), torch.linspace(-1, 1, 58_001).double())) == (
        pytest.approx(2 / 3, abs=1e-3)
    )
    assert noise_gain(linear_weights(nodes, x[:40_000])) == pytest.approx(2 / 3, abs=0.01)


def test_the_three_regimes_part_ways():
    gains = {"kernel": [], "lines": [], "polynomial": []}
    for n in (16, 32, 64):
        nodes, x = equispaced(n), torch.linspace(-0.999, 0.999, 40 * n).double()
        gains["kernel"].append(noise_gain(kernel(nodes, x)))
        gains["lines"].append(noise_gain(linear_weights(nodes, x)))
        gains["polynomial"].append(noise_gain(polynomial_weights(nodes, x)))
    assert gains["kernel"][0] > gains["kernel"][1] > gains["kernel"][2]
    assert max(gains["lines"]) - min(gains["lines"]) < 0.02
    assert gains["polynomial"][2] > 1e6 * gains["polynomial"][1] > 1e6


def test_without_noise_lines_and_polynomial_find_a_smooth_target():
    nodes, x = equispaced(25), torch.linspace(-0.9, 0.9, 100).double()
    off = [
        (w(nodes, x) @ nodes.sin() - x.sin()).abs().max()
        for w in (linear_weights, polynomial_weights)
    ]
    assert float(off[0]) < 1e-2 and float(off[1]) < 1e-8


def test_the_kernel_works_in_any_dimension_and_never_overflows():
    nodes = torch.randn(20, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    near = nodes[:1] + 1e-200
    s = singular_kernel_weights(nodes, torch.cat([near, nodes[:1]]), a=30.0)
    assert bool(s.isfinite().all()) and float(s[0, 0]) == pytest.approx(1)


def test_x_beyond_the_nodes_and_unsorted_nodes_are_refused():
    with pytest.raises(InputError, match="between the nodes"):
        linear_weights(equispaced(3), torch.tensor([2.0], dtype=torch.float64))
    with pytest.raises(InputError, match="strictly increasing order"):
        polynomial_weights(equispaced(3).flip(0), torch.zeros(1, dtype=torch.float64))
    with pytest.raises(InputError, match="power"):
        singular_kernel_weights(torch.zeros(1, 1), torch.ones(1, 1), a=0.0)
