import numpy as np
import pytest
import scipy.signal
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

from corollary.errors import InputError
from corollary.theory.architectures.sliding import convolution, correlation, flipped
from corollary.theory.architectures.stencils import binomial, binomial2d


def drawn(*shape, seed=0):
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=rng, dtype=torch.float64)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 20), m=st.integers(1, 20), mode=st.sampled_from(["full", "same", "valid"]))
def test_it_is_numpy_convolve(n, m, mode):
    n, m = max(n, m), min(n, m)
    f, h = drawn(n, seed=n), drawn(m, seed=m)
    expected = torch.from_numpy(np.convolve(f.numpy(), h.numpy(), mode))
    torch.testing.assert_close(convolution(f, h, mode), expected)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("kernel", [(3, 3), (2, 4), (1, 5)])
def test_on_images_it_is_scipy_convolve2d(mode, kernel):
    image, K = drawn(7, 9), drawn(*kernel, seed=1)
    expected = torch.from_numpy(scipy.signal.convolve2d(image.numpy(), K.numpy(), mode))
    torch.testing.assert_close(convolution(image, K, mode), expected)
    if mode == "valid":
        assert expected.shape == (7 - kernel[0] + 1, 9 - kernel[1] + 1)


def test_coefficients_of_a_product_of_polynomials_are_a_convolution():
    f, h = drawn(5), drawn(4)
    expected = np.polynomial.polynomial.polymul(f.numpy(), h.numpy())
    torch.testing.assert_close(convolution(f, h), torch.from_numpy(expected))


@pytest.mark.parametrize("shapes", [[(9,), (4,), (3,)], [(5, 6), (2, 3), (3, 2)]])
def test_convolution_is_commutative_associative_and_linear_and_correlation_is_not(shapes):
    f, h, g = (drawn(*shape, seed=i) for i, shape in enumerate(shapes))
    torch.testing.assert_close(convolution(f, h), convolution(h, f), atol=1e-10, rtol=0)
    torch.testing.assert_close(convolution(convolution(f, h), g), convolution(f, convolution(h, g)))
    torch.testing.assert_close(convolution(2 * f, h), 2 * convolution(f, h))
    assert not torch.allclose(correlation(h, f, "full"), correlation(f, h, "full"))


def test_torch_correlates():
    f, h = drawn(10), drawn(3, seed=1)
    by_torch = functional.conv1d(f[None, None], h[None, None])[0, 0]
    torch.testing.assert_close(correlation(h, f), by_torch)
    torch.testing.assert_close(convolution(f, flipped(h), "valid"), by_torch)
    assert not torch.allclose(convolution(f, h, "valid"), by_torch)
    symmetric = binomial(4)
    torch.testing.assert_close(correlation(symmetric, f), convolution(f, symmetric, "valid"))


def test_the_centred_sum_of_the_notes_is_the_correlation():
    """I[i - u0 + u] K[u] correlates; I[i + u0 - u] K[u] convolves."""
    image, K = drawn(6, 6), drawn(3, 3, seed=1)
    around = functional.pad(image, [1] * 4)
    printed, corrected = torch.zeros_like(image), torch.zeros_like(image)
    for i in range(6):
        for j in range(6):
            window = around[i : i + 3, j : j + 3]
            printed[i, j] = (window * K).sum()
            corrected[i, j] = sum(
                around[i + 2 - u, j + 2 - v] * K[u, v] for u in range(3) for v in range(3)
            )
    torch.testing.assert_close(corrected, convolution(image, K, "same"))
    torch.testing.assert_close(printed, correlation(K, image, "same"))
    assert float((printed - convolution(image, K, "same")).abs().max()) > 0.1


def test_a_separable_kernel_is_two_passes():
    image, h = drawn(8, 8), binomial(2)
    rows = convolution(image, h[None, :], "valid")
    torch.testing.assert_close(
        convolution(rows, h[:, None], "valid"), convolution(image, binomial2d(2), "valid")
    )


def test_padding_makes_valid_keep_the_size():
    image, K = drawn(5, 5), drawn(3, 3)
    torch.testing.assert_close(
        convolution(image, K, "valid", padding=1), convolution(image, K, "same")
    )


@pytest.mark.parametrize(
    ("m", "mode", "padding", "words"),
    [(0, "full", 0, "two signals"), (5, "valid", 0, "inside"), (2, "full", -1, "padding")],
)
def test_what_makes_no_sense_is_refused(m, mode, padding, words):
    with pytest.raises(InputError, match=words):
        convolution(drawn(3), drawn(m), mode, padding=padding)
