"""Direct and fast convolution, linear and circular."""

import math

import numpy as np
import pytest
import scipy.ndimage
import scipy.signal
import torch

from corollary.errors import InputError
from corollary.theory.approximation.convolution import (
    convolve,
    crossover,
    multiplications,
    timings,
)


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


@pytest.mark.parametrize("method", ["direct", "fft"])
@pytest.mark.parametrize("n,m", [(8, 3), (3, 8), (5, 5), (1, 4)])
def test_linear_convolution_is_scipys(method, n, m, rng):
    g = torch.randn(n, generator=rng, dtype=torch.float64)
    h = torch.randn(m, generator=rng, dtype=torch.float64)
    expected = np.convolve(g.numpy(), h.numpy())
    assert np.allclose(convolve(g, h, method=method).numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("method", ["direct", "fft"])
def test_linear_convolution_of_images_is_scipys(method, rng):
    g = torch.randn(6, 9, generator=rng, dtype=torch.float64)
    h = torch.randn(4, 3, generator=rng, dtype=torch.float64)
    expected = scipy.signal.convolve2d(g.numpy(), h.numpy())
    assert np.allclose(convolve(g, h, method=method).numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("shape", [(8,), (6, 9)])
def test_circular_convolution_is_scipys_with_wrapping(shape, rng):
    g = torch.randn(shape, generator=rng, dtype=torch.float64)
    h = torch.randn([3] * len(shape), generator=rng, dtype=torch.float64)
    direct = convolve(g, h, method="direct", mode="circular")
    fast = convolve(g, h, method="fft", mode="circular")
    origin = [-1] * len(shape)  # scipy centres the filter; ours starts at its first entry
    expected = scipy.ndimage.convolve(g.numpy(), h.numpy(), mode="wrap", origin=origin)
    assert torch.allclose(direct, fast, atol=1e-12)
    assert np.allclose(direct.numpy(), expected, atol=1e-12)


def test_without_padding_the_product_of_transforms_is_circular_and_not_linear():
    g, h = torch.ones(8, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    printed = torch.fft.irfft(torch.fft.rfft(g) * torch.fft.rfft(h, 8), 8)
    linear = convolve(g, h)[:8]
    assert torch.allclose(printed, convolve(g, h, mode="circular"))
    assert printed[0].item() == pytest.approx(3) and linear[0].item() == pytest.approx(1)


def test_variances_of_gaussians_add():
    x = torch.linspace(-12, 12, 961, dtype=torch.float64)
    density = [torch.exp(-(x**2) / (2 * v)) / math.sqrt(2 * math.pi * v) for v in (1.0, 2.0, 3.0)]
    both = convolve(density[0], density[1])[480:1441] * 0.025
    assert (both - density[2]).abs().max() < 1e-8


def test_the_count_of_products_is_of_order_n_log_n():
    assert multiplications(1024, 1024, "direct") == 2**20
    assert multiplications(1024, 1024, "fft") < 2**18
    assert multiplications(crossover(), crossover(), "fft") < crossover() ** 2
    assert multiplications(crossover() // 2, crossover() // 2, "fft") >= (crossover() // 2) ** 2


def test_for_long_signals_the_fft_is_faster_by_the_clock():
    short, long = timings([16, 4096], repeats=2)
    assert min(short.direct, short.fft) >= 0
    assert long.fft < long.direct


def test_shapes_that_do_not_match_are_refused():
    with pytest.raises(InputError, match="shapes"):
        convolve(torch.ones(2, 2, 2), torch.ones(2, 2, 2))
    with pytest.raises(InputError, match="lengths"):
        multiplications(0, 3, "fft")
