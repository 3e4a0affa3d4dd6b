import numpy as np
import pytest
import scipy.linalg
import torch
from torch import nn

from corollary.errors import InputError
from corollary.theory.architectures.sliding import convolution, flipped
from corollary.theory.architectures.toeplitz import (
    conv_as_dense,
    conv_parameters,
    is_toeplitz,
    sharing_report,
    toeplitz,
)

RNG = torch.Generator().manual_seed(0)


def drawn(*shape):
    return torch.randn(*shape, generator=RNG, dtype=torch.float64)


def test_the_full_matrix_is_scipy_toeplitz():
    h = drawn(3)
    column = np.r_[h.numpy(), np.zeros(4)]
    expected = scipy.linalg.toeplitz(column, np.r_[column[0], np.zeros(4)])
    assert torch.equal(toeplitz(h, 5), torch.from_numpy(expected))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_the_matrix_convolves_signals_and_images(mode):
    h, f, K, image = drawn(3), drawn(8), drawn(2, 3), drawn(4, 5)
    A = toeplitz(h, 8, mode)
    assert is_toeplitz(A)
    torch.testing.assert_close(A @ f, convolution(f, h, mode))
    B = toeplitz(K, (4, 5), mode)
    torch.testing.assert_close(B @ image.flatten(), convolution(image, K, mode).flatten())


def test_for_images_blocks_and_the_order_of_blocks_are_toeplitz():
    B = toeplitz(drawn(2, 2), (3, 4)).reshape(4, 5, 3, 4)  # block row, row, block column, column
    for i in range(3):
        assert torch.equal(B[i + 1, :, 1], B[i, :, 0])
        assert is_toeplitz(B[i, :, 0])


def test_a_layer_as_a_matrix_gives_what_the_layer_gives():
    layer = nn.Conv2d(2, 3, 3, stride=2, padding=1, dtype=torch.float64)
    x = drawn(1, 2, 5, 5)
    dense = conv_as_dense(layer, (2, 5, 5)) @ x.flatten()
    torch.testing.assert_close(dense, (layer(x) - layer(0 * x)).flatten())
    one = nn.Conv1d(1, 1, 3, dtype=torch.float64)
    W = conv_as_dense(one, (1, 6))
    assert torch.equal(W, toeplitz(flipped(one.weight[0, 0]), 6, "valid"))


def test_counts_are_the_entries_that_are_there():
    report = sharing_report(9, 3)
    W = toeplitz(torch.tensor([1.0, 2.0, 3.0]), 9, "valid")
    assert (report.dense, report.zeros) == (W.numel(), int((W == 0).sum()))
    assert all(int((W == v).sum()) == report.reuse for v in (1, 2, 3))
    layer = nn.Conv2d(3, 8, (3, 5))
    assert conv_parameters(3, 8, (3, 5)) == sum(p.numel() for p in layer.parameters())


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match="does not act"):
        toeplitz(drawn(2, 2), 4)
    with pytest.raises(InputError, match="1 to n"):
        sharing_report(3, 4)
    with pytest.raises(InputError, match="at least 1"):
        conv_parameters(0, 1, (3, 3))
