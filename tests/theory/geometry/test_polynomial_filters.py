import inspect

import numpy as np
import pytest
import torch
from numpy.polynomial import chebyshev

from corollary.data.graphs import complete_bipartite_graph, cycle_graph, erdos_renyi, path_graph
from corollary.errors import InputError
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_fourier import fourier_basis, spectral_filter
from corollary.theory.geometry.graph_laplacian import laplacian
from corollary.theory.geometry.polynomial_filters import (
    chebyshev_stack,
    frequency_bound,
    polynomial_filter,
    power_stack,
)


@pytest.fixture
def g():
    return erdos_renyi(20, 0.15, rng=torch.Generator().manual_seed(0))


@pytest.fixture
def x():
    return torch.randn(20, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def test_it_equals_the_spectral_form(g, x):
    alpha = torch.tensor([0.3, -1.0, 0.5, 0.1], dtype=torch.float64)

    def G(f):
        return sum(a * f**k for k, a in enumerate(alpha))

    mine = polynomial_filter(laplacian(g), alpha, x)
    assert torch.allclose(mine, spectral_filter(fourier_basis(g), G, x))
    assert torch.allclose(mine, torch.einsum("k,kmd->md", alpha, power_stack(laplacian(g), x, 3)))


def test_entries_beyond_k_hops_are_zero(g):
    for K in (0, 1, 2, 3):
        alpha = torch.rand(K + 1, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
        H = polynomial_filter(laplacian(g), alpha, torch.eye(20, dtype=torch.float64))
        assert bool((H[g.distances() > K] == 0).all())


class CountingMatrix:
    """Counts products; what is multiplied stays as it is."""

    def __init__(self):
        self.products = 0

    def __matmul__(self, other):
        self.products += 1
        return other


@pytest.mark.parametrize("K", [0, 1, 5])
def test_horners_rule_uses_k_products(K):
    L = CountingMatrix()
    plain = inspect.unwrap(polynomial_filter)  # shapes are not checked: L is no tensor
    plain(L, torch.ones(K + 1), torch.ones(4, 1))
    assert L.products == K


def test_the_chebyshev_terms_are_numpys(g, x):
    largest = frequency_bound(g)
    terms = chebyshev_stack(laplacian(g), x, 5, largest)
    frequencies, U = fourier_basis(g)
    for k in range(6):
        values = chebyshev.chebval((2 * frequencies / largest - 1).numpy(), np.eye(6)[k])
        assert torch.allclose(terms[k], U @ (torch.from_numpy(values)[:, None] * (U.T @ x)))
        assert float(terms[k].norm()) <= float(x.norm()) * (1 + 1e-12)


def test_the_bound_on_frequencies_holds_and_is_attained(g):
    assert float(fourier_basis(g).frequencies.max()) <= frequency_bound(g) + 1e-12
    for tight in (complete_bipartite_graph(3, 3), path_graph(2), cycle_graph(8)):
        assert float(fourier_basis(tight).frequencies.max()) == pytest.approx(
            frequency_bound(tight)
        )
    assert frequency_bound(Graph.of_edges(3, [])) == 1.0


def test_degrees_below_zero_are_refused(g, x):
    with pytest.raises(InputError):
        power_stack(laplacian(g), x, -1)
    with pytest.raises(InputError):
        polynomial_filter(laplacian(g), torch.ones(0).double(), x)
