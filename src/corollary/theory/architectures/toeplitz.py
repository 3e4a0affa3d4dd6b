r"""Convolution as a matrix with constant diagonals.

.. math:: f*h=Hf,\qquad H_{ij}=h_{i-j+1},\quad H\in\mathbb{R}^{(n+m-1)\times n}\ \text{(full)},
   \qquad W_{kj}=h_{m+k-j},\quad W\in\mathbb{R}^{(n-m+1)\times n}\ \text{(valid)}

with indices from one, and zero where the index of h leaves 1, ..., m. The valid matrix is the
full one without its first and last m - 1 rows. For images the matrix is a Toeplitz matrix of
blocks that are Toeplitz matrices themselves.

:source: Perez Jensen (2025), Deep Learning, Section 4.1; Lucchi (2025), Foundations of Deep
    Learning, Section 10.1.1 and Exercise 1 of Chapter 10.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.func import jvp

from corollary.errors import InputError
from corollary.theory.architectures.sliding import Mode, convolution


class Sharing(NamedTuple):
    """Weights of a map from n numbers to n - m + 1."""

    dense: int  # free entries of a matrix
    convolution: int  # free entries of a kernel
    reuse: int  # how often each entry of the kernel stands in the matrix
    zeros: int  # entries of the matrix that are fixed at zero


def toeplitz(
    h: Float[Tensor, "*m"], n: int | Sequence[int], mode: Mode = "full"
) -> Float[Tensor, "k n"]:
    r"""The matrix of the convolution with h on signals of length n, or on images of size n.

    Images are read row by row. :math:`O(kn)` memory for n inputs and k outputs.

    Example:
        >>> toeplitz(torch.tensor([1.0, 2.0]), 3)
        tensor([[1., 0., 0.],
                [2., 1., 0.],
                [0., 2., 1.],
                [0., 0., 2.]])
        >>> toeplitz(torch.tensor([1.0, 2.0]), 3, "valid")
        tensor([[2., 1., 0.],
                [0., 2., 1.]])

    :covers: toeplitz-convolution-matrix
    """
    size = (n,) if isinstance(n, int) else tuple(n)
    if len(size) != h.ndim or min(size) < 1:
        raise InputError(f"a kernel of shape {tuple(h.shape)} does not act on signals of size {n}")
    impulses = torch.eye(int(torch.tensor(size).prod()), dtype=h.dtype, device=h.device)
    columns = [convolution(e.reshape(size), h, mode).flatten() for e in impulses]
    return torch.stack(columns, dim=1)


def conv_as_dense(layer: nn.Module, size: Sequence[int]) -> Float[Tensor, "k n"]:
    """The matrix of a linear layer on inputs of shape ``size`` (channels first), without its bias.

    All impulses go through as one batch: O(kn) memory. They are tangents at zero, so the bias drops
    out before it can round the weights.

    Example:
        >>> layer = nn.Conv1d(1, 1, 2)
        >>> layer.weight.data = torch.tensor([[[2.0, 1.0]]])
        >>> conv_as_dense(layer, (1, 3)).detach()
        tensor([[2., 1., 0.],
                [0., 2., 1.]])
    """
    like = next(layer.parameters(), torch.empty(()))
    n = int(torch.tensor(tuple(size)).prod())
    impulses = torch.eye(n, dtype=like.dtype, device=like.device).reshape(n, *size)
    responses: Tensor = jvp(layer, (torch.zeros_like(impulses),), (impulses,))[1]
    return responses.flatten(1).T


def is_toeplitz(A: Float[Tensor, "k n"], *, tolerance: float = 1e-12) -> bool:
    """Whether each diagonal is constant, up to ``tolerance`` times the largest entry.

    Example:
        >>> is_toeplitz(torch.tensor([[1.0, 2.0], [3.0, 1.0]])), is_toeplitz(torch.eye(2).cumsum(0))
        (True, True)
        >>> is_toeplitz(torch.tensor([[1.0, 0.0], [0.0, 2.0]]))
        False
    """
    jumps = (A[1:, 1:] - A[:-1, :-1]).abs()
    return bool((jumps <= tolerance * A.abs().max()).all())


def sharing_report(n: int, m: int) -> Sharing:
    """Weights that a kernel of length m saves on signals of length n.

    Example:
        >>> sharing_report(100, 5)
        Sharing(dense=9600, convolution=5, reuse=96, zeros=9120)

    :covers: convolution-parameter-sharing
    """
    if not 1 <= m <= n:
        raise InputError(f"expected a kernel length m from 1 to n, got m={m}, n={n}")
    out = n - m + 1
    return Sharing(n * out, m, out, n * out - m * out)


def conv_parameters(c_in: int, c_out: int, kernel: Sequence[int], *, bias: bool = True) -> int:
    r"""Weights of a convolution layer, :math:`C_{\text{out}}(C_{\text{in}}H_KW_K+1)` with bias.

    Example:
        >>> conv_parameters(3, 64, (3, 3))
        1792
    """
    if min(c_in, c_out, *kernel) < 1:
        raise InputError(
            f"expected all sizes to be at least 1, got c_in={c_in}, "
            f"c_out={c_out}, kernel={tuple(kernel)}"
        )
    taps = 1
    for m in kernel:
        taps *= m
    return c_out * (c_in * taps + bias)
