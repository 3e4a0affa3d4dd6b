r"""The norm of a convolution with zero padding.

A convolution with zero padding is made of some rows and columns of the same convolution on a torus
that has room for image and kernel, so its spectral norm is at most that of the torus, which the
Fourier transform gives as the largest of one small norm a frequency:

.. math:: \|K*\cdot\|_2\ \le\ \max_\omega\|\hat K(\omega)\|_2.

Power iteration only approaches the left side from below, and certifies nothing.

:source: Sedghi, Gupta and Long (2019), "The singular values of convolutional layers", Theorem 6;
    Perez Jensen (2025), Deep Learning, Section 4.1, for convolutions as
    matrices.
:kind: bound
:uses: convolution_theorem, operator_norm
:beyond: The notes write a convolution as a matrix; this claim bounds the norm of that matrix.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional as F

from corollary.core import Claim, Parity, Suppose, at_most, normal, option
from corollary.theory.robustness.certificates.operator_norms import convolution_norm


class Given(NamedTuple):
    kernels: Float[Tensor, "n out in k k"]
    room: int  # the size of the image that the torus has room for


def small_torus(given: Given) -> Given:
    """A torus of the size of the kernel lacks the frequency with the largest norm."""
    wave, middle = torch.zeros_like(given.kernels[:1]), given.kernels.shape[-1] // 2
    wave[..., middle, middle], wave[..., middle, middle - 1] = 1.0, -1.0
    return Given(wave, 1 - 2 * middle)


class TorusNorm(Claim[Given]):
    size: int = option(7, low=4, high=12)  # rows and columns of the image
    channels: int = option(3, low=1, high=6)  # input and output channels
    k: int = option(3, low=1, high=5)  # rows and columns of the kernel
    stride: int = option(1, low=1, high=3)  # stride of the convolution
    kernels: int = option(8, low=1, high=100)  # random kernels

    relation = at_most(ulps=64)  # singular values of matrices of some hundred rows
    supposes = Suppose(
        "the torus has room for the image and the kernel",
        lambda self, g: (g.room >= self.size, f"for images of {g.room} rows"),
        without=small_torus,
    )
    symbols = "largest norm over the frequencies", "norm of the matrix"
    shows = Parity("The norm of a convolution is at most the norm on a torus")

    def given(self, rng: Generator) -> Given:
        shape = (self.kernels, self.channels, self.channels, self.k, self.k)
        return Given(normal(rng, *shape), self.size)

    def predict(self, given: Given) -> list[float]:
        pad, steps = (self.k // 2,) * 2, (self.stride,) * 2
        room = (max(given.room, 1 - 2 * pad[0]),) * 2
        return [convolution_norm(k, room, stride=steps, padding=pad) for k in given.kernels]

    def measure(self, given: Given) -> list[float]:
        basis = torch.eye(self.channels * self.size**2, dtype=torch.float64)
        images = basis.unflatten(1, (self.channels, self.size, self.size))

        def norm(kernel: Tensor) -> float:
            rows = F.conv2d(images, kernel, stride=self.stride, padding=self.k // 2).flatten(1)
            return float(torch.linalg.matrix_norm(rows, 2))

        return [norm(kernel) for kernel in given.kernels]
