r"""Matrix of a linear map.

A map :math:`f:\mathbb{R}^n\to\mathbb{R}^m` is linear iff :math:`f(x)=Ax` for a matrix
:math:`A\in\mathbb{R}^{m\times n}`, which is then unique: its columns are the images of the basis,

.. math:: A=\bigl(f(e_1)\;\cdots\;f(e_n)\bigr).

The map here is a black box (a circular convolution by the fast Fourier transform, running sums, and
a cut to :math:`m` outputs); the matrix assembled from :math:`n` of its values foretells all others.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.2.2; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Representation via Matrices.
:kind: theorem
:uses: superposition
:covers: linear-map-matrix
:erratum: [typo] Both sources write A as an element of R^{n x m}; for f from R^n to R^m with
    f(x) = Ax it is m x n. At n = 12, m = 7 the assembled matrix has shape (7, 12).
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, Trial, equals, generator, normal
from corollary.core.picture import HeatMap, Marks, picture
from corollary.theory.connectionism.linearity import basis_images, is_linear


class Given(NamedTuple):
    kernel: Float[Tensor, " n"]  # of the convolution
    m: int  # outputs kept
    x: Float[Tensor, "k n"]  # points
    last: Callable[[Tensor], Tensor] = torch.Tensor.clone  # what is done to the outputs

    def f(self, x: Tensor) -> Tensor:
        """The black box."""
        n = x.shape[1]
        y = torch.fft.irfft(torch.fft.rfft(x) * torch.fft.rfft(self.kernel), n=n)
        return self.last(y.cumsum(dim=1)[:, : self.m])

    def A(self) -> Float[Tensor, "m n"]:
        """The images of the basis, as columns."""
        return basis_images(self.f, torch.eye(len(self.kernel)).to(self.x))


def obeys(law: str) -> Callable[[Given], tuple[bool, str]]:
    """A test of one half of linearity."""

    def test(given: Given) -> tuple[bool, str]:
        answer = is_linear(given.f, given.x.shape[1], rng=generator(0, "linear"))
        return law not in answer.violated, f"difference {answer.gaps[law]:.1e}"

    return test


class LinearMapMatrix(Claim[Given]):
    n: int = 12  # input dimension
    m: int = 7  # output dimension, at most n
    k: int = 8  # points

    relation = equals(ulps=256, scale=10.0)  # running sums of n terms of size about 10
    supposes = (
        Suppose(
            "f is additive",
            obeys("additivity"),
            "The map ends with absolute values, and the absolute value of a sum is not the sum.",
            last=lambda g: torch.abs,
        ),
        Suppose(
            "f is homogeneous",
            obeys("homogeneity"),
            "The offset of an affine map is in each column of A, so Ax adds it several times.",
            last=lambda g: lambda y: y + 1,
        ),
    )
    symbols = "Ax", "f(x)"
    shows = Parity("The matrix A reproduces the linear map")

    def given(self, rng: Generator) -> Given:
        return Given(normal(rng, self.n), min(self.m, self.n), normal(rng, self.k, self.n))

    def predict(self, given: Given) -> list[float]:
        return (given.x @ given.A().T).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        return given.f(given.x).flatten().tolist()

    @picture("Images of the basis", x="column j: f(e_j)", y="output")
    def marks(self, trial: Trial[Given]) -> Marks:
        A = trial.given.A()
        m, n = A.shape
        yield HeatMap(A.flip(0), x=(0.5, n + 0.5), y=(0.5, m + 0.5), label="A, row 1 on top")
