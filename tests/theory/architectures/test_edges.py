import numpy as np
import torch
from scipy import ndimage

from corollary.theory.architectures.edges import derivative_kernels, edge_share, kernel_cosines


def test_the_kernels_are_those_of_scipy():
    x = np.random.default_rng(0).normal(size=(9, 9))
    for middle, peer in ((1.0, ndimage.prewitt), (2.0, ndimage.sobel)):
        for kernel, axis in zip(derivative_kernels(middle), (1, 0), strict=True):
            found = ndimage.correlate(x, kernel.numpy(), mode="reflect")
            np.testing.assert_allclose(found, peer(x, axis=axis, mode="reflect"), atol=1e-12)


def test_a_kernel_answers_to_its_own_direction_only():
    rows = torch.tensor([1.0, -1, -1, 1, 1, -1, 1, 1], dtype=torch.float64)
    horizontal = rows[:, None].expand(8, 8)
    across, down = torch.nn.functional.conv2d(
        horizontal[None, None], derivative_kernels(2.0)[:, None]
    )[0]
    assert bool((across == 0).all()) and float(down.abs().max()) == 8


def test_second_derivatives_are_at_right_angles_to_first_ones():
    second = torch.tensor([[1.0, -2.0, 1.0]] * 3)[None]
    torch.testing.assert_close(kernel_cosines(second), torch.zeros(1, 2))


def test_random_filters_have_two_ninths_in_the_plane_of_the_kernels():
    w = torch.randn(20_000, 3, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    for middle in (1.0, 2.0):
        assert abs(edge_share(w, middle) - 2 / 9) < 0.005  # five standard deviations of the mean
