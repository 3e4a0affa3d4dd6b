import warnings

import pytest
import torch
from torch.nn import functional as F

from corollary.data.graphs import cycle_graph, erdos_renyi
from corollary.data.karate_club import karate_club
from corollary.errors import InputError
from corollary.models.polynomial_conv import ChebConv, GraphConvPoly, PolyConv
from corollary.models.spectral_conv import SpectralConv, frequency_kinds
from corollary.theory.geometry.graph_fourier import fourier_basis, spectral_filter


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


@pytest.fixture
def g(rng):
    return erdos_renyi(15, 0.2, rng=rng)


@pytest.fixture
def x(rng):
    return torch.randn(15, 3, generator=rng, dtype=torch.float64)


@pytest.mark.parametrize(("c_in", "c_out", "K"), [(3, 5, 2), (1, 1, 0), (4, 2, 6)])
def test_the_number_of_parameters(c_in, c_out, K, rng):
    layer = GraphConvPoly(c_in, c_out, K, rng=rng)
    assert sum(p.numel() for p in layer.parameters()) == c_out * c_in * (K + 1) + c_out


def test_it_is_a_stack_of_filters(g, x, rng):
    layer = GraphConvPoly(3, 2, 3, rng=rng)
    with torch.no_grad():
        layer.b.copy_(torch.tensor([0.5, -1.0]))
    one = PolyConv(3)
    for o in range(2):
        total = layer.b[o] * torch.ones(15, 1).double()
        for i in range(3):
            with torch.no_grad():
                one.alpha.copy_(layer.alpha[o, i])
            total = total + one(x[:, i : i + 1], g)
        assert torch.allclose(layer(x, g)[:, o : o + 1], total)


@pytest.mark.parametrize("K", [1, 2])
def test_on_a_cycle_it_is_a_symmetric_convolution(K, rng):
    """L = 2 - S - S^T for the shift S: its polynomials are the symmetric circulant matrices."""
    n, layer = 12, GraphConvPoly(2, 3, K, bias=False, rng=rng)
    x = torch.randn(n, 2, generator=rng, dtype=torch.float64)
    impulse = torch.eye(n, dtype=torch.float64)
    responses = torch.stack(
        [
            sum(a * m for a, m in zip(layer.alpha[o, i], powers(n, K, impulse), strict=True))[:, 0]
            for o in range(3)
            for i in range(2)
        ]
    )
    kernel = torch.cat([responses[:, -K:], responses[:, : K + 1]], dim=1).reshape(3, 2, 2 * K + 1)
    assert torch.allclose(kernel, kernel.flip(2))
    padded = F.pad(x.T[None], (K, K), mode="circular")
    assert torch.allclose(layer(x, cycle_graph(n)).T, F.conv1d(padded, kernel)[0])


def powers(n, K, eye):
    L = 2 * eye - eye.roll(1, 0) - eye.roll(-1, 0)
    return [torch.linalg.matrix_power(L, k) for k in range(K + 1)]


@pytest.mark.parametrize("normalized", [True])
def test_the_chebyshev_layer_is_that_of_torch_geometric(g, x, rng, normalized):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nn = pytest.importorskip("torch_geometric.nn")
    mine = ChebConv(3, 2, 4, normalized=normalized, rng=rng)
    theirs = nn.ChebConv(3, 2, 5, normalization="sym").double()  # largest frequency 2
    with torch.no_grad():
        for k in range(5):
            theirs.lins[k].weight.copy_(mine.alpha[:, :, k])
    connected, _ = karate_club()
    y = torch.randn(34, 3, generator=rng, dtype=torch.float64)
    assert torch.allclose(mine(y, connected), theirs(y, connected.arcs, lambda_max=2.0))


def test_powers_and_chebyshev_polynomials_span_the_same_filters(g, x, rng):
    power, cheb = (
        GraphConvPoly(1, 1, 2, bias=False, rng=rng),
        ChebConv(1, 1, 2, bias=False, rng=rng),
    )
    from corollary.theory.geometry.polynomial_filters import frequency_bound

    c = 2 / frequency_bound(g)  # T_1 = c L - 1, T_2 = 2 (c L - 1)^2 - 1
    a, b, d = cheb.alpha[0, 0].tolist()
    with torch.no_grad():
        power.alpha.copy_(torch.tensor([[[a - b + d, c * b - 4 * c * d, 2 * c**2 * d]]]))
    assert torch.allclose(power(x[:, :1], g), cheb(x[:, :1], g))


def test_the_spectral_layer_is_the_polynomial_one_without_its_eigenvectors(g, x):
    layer = SpectralConv(g, lambda f: 1 - 0.5 * f + 0.1 * f**2)
    poly = PolyConv(2)
    with torch.no_grad():
        poly.alpha.copy_(torch.tensor([1.0, -0.5, 0.1]))
    assert torch.allclose(layer(x), poly(x, g))


def test_free_gains_are_learned_one_a_frequency(rng):
    g = cycle_graph(6)  # frequencies 0, 1, 1, 3, 3, 4
    layer = SpectralConv(g)
    assert layer.gains.numel() == 4
    x = torch.randn(6, 2, generator=rng, dtype=torch.float64)
    assert torch.allclose(layer(x), x)  # all gains are 1
    target = spectral_filter(fourier_basis(g), lambda f: torch.exp(-f), x)
    from corollary.train import fit

    fit(layer, (x, target), F.mse_loss, lambda p: torch.optim.Adam(p, lr=0.1), steps=300)
    assert layer.gains.tolist() == pytest.approx(
        [1.0, 2.718281828**-1, 2.718281828**-3, 2.718281828**-4], abs=0.02
    )


def test_equal_frequencies_are_recognised():
    f = fourier_basis(cycle_graph(50)).frequencies
    assert int(frequency_kinds(f).max()) + 1 == 26


def test_bad_filters_are_refused(g, x, rng):
    with pytest.raises(InputError, match="one gain for each"):
        SpectralConv(g, lambda f: f[:3])(x)
    with pytest.raises(InputError, match="expected 2 channels"):
        GraphConvPoly(2, 2, 1, rng=rng)(x, g)
    with pytest.raises(InputError, match="must not be negative"):
        PolyConv(-1)
