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
:cost: instant
:covers: toeplitz-convolution-matrix
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional as F

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.robustness.certificates.operator_norms import convolution_norm


class Given(NamedTuple):
    """Kernels, and the size of the image that the torus has room for."""

    kernels: list[Float[Tensor, "out in k k"]]
    room: int


class TorusNorm(Claim[Given]):
    size: int = option(7, low=4, high=12)  # rows and columns of the image
    channels: int = option(3, low=1, high=6)  # in and out
    k: int = option(3, low=1, high=5)  # rows and columns of the kernel
    stride: int = option(1, low=1, high=3)  # of the convolution
    kernels: int = option(8, low=1, high=100)  # that are drawn
    relation = at_most(ulps=64)  # singular values of matrices of some hundred rows

    def given(self, rng: Generator) -> Given:
        """Normal kernels."""
        shape = (self.channels, self.channels, self.k, self.k)
        drawn = [
            torch.randn(shape, generator=rng, dtype=torch.float64) for _ in range(self.kernels)
        ]
        return Given(drawn, self.size)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Room on the torus."""
        yield Hypothesis(
            "the torus has room for the image and the kernel",
            given.room >= self.size,
            f"for images of {given.room} rows",
        )

    def predict(self, given: Given) -> list[float]:
        """The largest norm over the frequencies."""
        pad, steps = (self.k // 2,) * 2, (self.stride,) * 2
        room = max(given.room, 1 - 2 * pad[0])
        return [
            convolution_norm(kernel, (room, room), stride=steps, padding=pad)
            for kernel in given.kernels
        ]

    def measure(self, given: Given) -> list[float]:
        """The norms of the matrices."""
        entries = self.channels * self.size**2
        basis = torch.eye(entries, dtype=torch.float64)
        basis = basis.view(entries, self.channels, self.size, self.size)
        return [
            float(torch.linalg.matrix_norm(
                F.conv2d(basis, kernel, stride=self.stride, padding=self.k // 2).flatten(1), 2))
            for kernel in given.kernels
        ]  # fmt: skip

    def counterexample(self, rng: Generator) -> Given:
        """Kernels whose loudest frequency a torus of the kernel's size does not have."""
        given = self.given(rng)
        wave = torch.zeros_like(given.kernels[0])
        middle = self.k // 2
        wave[:, :, middle, middle], wave[:, :, middle, middle - 1] = 1.0, -1.0
        return Given([wave], 1 - 2 * middle)

    def figure(self, given: Given) -> Figure:
        """Both norms, and what power iteration says on the way."""
        kernel = given.kernels[0]
        bound, norm = self.predict(given)[0], self.measure(given)[0]
        seen = self._power_iteration(kernel, 30)
        return Figure(
            "From below, and from above",
            x="steps of power iteration",
            y="‖K∗·‖₂",
            marks=(
                Curve([bound] * len(seen), label="torus", role="predicted"),
                Curve([norm] * len(seen), label="norm", dashed=True),
                Points(list(range(len(seen))), seen, label="power iteration", role="other"),
            ),
        )

    def _power_iteration(self, kernel: Tensor, steps: int) -> list[float]:
        rng = torch.Generator().manual_seed(0)
        v = torch.randn(1, self.channels, self.size, self.size, generator=rng, dtype=torch.float64)
        out = []
        for _ in range(steps):
            v = v / v.norm()
            image = F.conv2d(v, kernel, stride=self.stride, padding=self.k // 2)
            out.append(float(image.norm()))
            v = torch.nn.grad.conv2d_input(
                v.shape, kernel, image, stride=self.stride, padding=self.k // 2
            )
        return out
