import math

import numpy as np
import pytest
import torch

from corollary.data.graphs import cycle_graph, erdos_renyi
from corollary.data.karate_club import karate_club
from corollary.theory.geometry.graph_fourier import (
    dft_basis,
    fourier_basis,
    gft,
    graph_convolution,
    igft,
    spectral_filter,
)
from corollary.theory.geometry.graph_laplacian import laplacian, quadratic_form


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


def test_modes_are_orthonormal_and_frequencies_are_their_energies():
    g, _ = karate_club()
    frequencies, U = fourier_basis(g)
    assert torch.allclose(U.T @ U, torch.eye(34).double())
    assert torch.allclose(quadratic_form(g, U), frequencies)


@pytest.mark.parametrize("normalized", [False, True])
def test_the_transform_keeps_lengths_and_has_an_inverse(rng, normalized):
    g = erdos_renyi(20, 0.2, rng=rng)
    x = torch.randn(20, 3, generator=rng, dtype=torch.float64)
    hat = gft(g, x, normalized=normalized)
    assert float(hat.norm()) == pytest.approx(float(x.norm()))
    assert torch.allclose(igft(g, hat, normalized=normalized), x)


@pytest.mark.parametrize("n", [3, 8, 9])
def test_the_frequencies_of_the_cycle_are_those_of_the_dft(n):
    frequencies, _ = fourier_basis(cycle_graph(n))
    known = sorted(2 - 2 * math.cos(2 * math.pi * k / n) for k in range(n))
    assert frequencies.tolist() == pytest.approx(known, abs=1e-12)


def test_the_basis_of_the_dft_diagonalises_the_cycle_and_is_numpys():
    frequencies, U = dft_basis(7)
    L = laplacian(cycle_graph(7)).to_dense().to(U.dtype)
    assert torch.allclose(L @ U, U * frequencies)
    x = np.random.default_rng(0).normal(size=7)
    hat = U.mH @ torch.from_numpy(x).to(U.dtype)
    assert np.allclose(hat.numpy(), np.fft.fft(x, norm="ortho"))


def test_on_the_cycle_it_is_circular_convolution_over_the_root_of_n(rng):
    x, y = torch.randn(2, 9, generator=rng, dtype=torch.float64)
    circular = np.real(np.fft.ifft(np.fft.fft(x.numpy()) * np.fft.fft(y.numpy())))
    mine = graph_convolution(x, y, dft_basis(9).modes)
    assert np.allclose(mine.real.numpy(), circular / 3)
    assert float(mine.imag.abs().max()) < 1e-12


def test_convolution_commutes_but_depends_on_the_signs_of_the_modes(rng):
    g, _ = karate_club()
    x, y = torch.randn(2, 34, generator=rng, dtype=torch.float64)
    U = fourier_basis(g).modes
    assert torch.allclose(graph_convolution(x, y, U), graph_convolution(y, x, U))
    flipped = U.clone()
    flipped[:, 3] *= -1
    assert not torch.allclose(graph_convolution(x, y, flipped), graph_convolution(x, y, U))


def test_a_filter_depends_on_eigenspaces_alone(rng):
    """The modes of a frequency that comes twice may be turned within their plane."""
    frequencies, U = fourier_basis(cycle_graph(6))
    turned = U.clone()
    c, s = math.cos(0.7), math.sin(0.7)
    turned[:, 1:3] = U[:, 1:3] @ torch.tensor([[c, -s], [s, c]]).double()
    x = torch.randn(6, 2, generator=rng, dtype=torch.float64)
    heat = lambda f: torch.exp(-f)  # noqa: E731
    a = spectral_filter(fourier_basis(cycle_graph(6)), heat, x)
    b = spectral_filter(fourier_basis(cycle_graph(6))._replace(modes=turned), heat, x)
    assert torch.allclose(a, b)
    L = laplacian(cycle_graph(6)).to_dense()
    assert torch.allclose(a, torch.matrix_exp(-L) @ x)
