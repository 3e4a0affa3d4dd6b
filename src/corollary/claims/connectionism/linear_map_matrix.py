r"""Matrix of a linear map.

A map :math:`f:\mathbb{R}^n\to\mathbb{R}^m` is linear iff :math:`f(x)=Ax` for a matrix
:math:`A\in\mathbb{R}^{m\times n}`, which is then unique: its columns are the images of the basis,

.. math:: A=\bigl(f(e_1)\;\cdots\;f(e_n)\bigr).

The map here is a black box (a circular convolution by the fast Fourier transform, running sums, and
a cut to :math:`m` outputs); the matrix assembled from :math:`n` of its values foretells all others.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.2.2; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Representation via Matrices.
:kind: theorem
:cost: instant
:covers: linear-map-matrix
:erratum: [typo] Both sources write A as an element of R^{n x m}; for f from R^n to R^m with
    f(x) = Ax it is m x n. At n = 12, m = 7 the assembled matrix has shape (7, 12).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, HeatMap, Hypothesis, Points, equals
from corollary.theory.connectionism.linearity import basis_images, is_linear


class Given(NamedTuple):
    """A black box and points to ask it at."""

    kernel: Float[Tensor, " n"]  # of the convolution
    m: int  # outputs kept
    offset: float  # added to each output; 0 leaves the map linear
    x: Float[Tensor, "k n"]  # points
    seed: int  # of the test of the hypothesis

    def f(self, x: Tensor) -> Tensor:
        """The black box."""
        n = x.shape[1]
        y = torch.fft.irfft(torch.fft.rfft(x) * torch.fft.rfft(self.kernel), n=n)
        return y.cumsum(dim=1)[:, : self.m] + self.offset

    def A(self) -> Float[Tensor, "m n"]:
        """The images of the basis, as columns."""
        return basis_images(self.f, torch.eye(len(self.kernel)).to(self.x))


@dataclass(frozen=True)
class LinearMapMatrix(Claim[Given]):
    """The images of the basis foretell the map."""

    n: int = 12  # input dimension
    m: int = 7  # output dimension, at most n
    k: int = 8  # points
    relation = equals(ulps=256, scale=10.0)  # running sums of n terms of size about 10

    def given(self, rng: Generator) -> Given:
        """A random kernel and random points."""

        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, device=rng.device, dtype=torch.float64)

        seed = int(torch.randint(2**31, (), generator=rng, device=rng.device))
        return Given(normal(self.n), min(self.m, self.n), 0.0, normal(self.k, self.n), seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The map must be linear."""
        rng = torch.Generator(given.x.device).manual_seed(given.seed)
        answer = is_linear(given.f, given.x.shape[1], rng=rng)
        yield Hypothesis("f is additive and homogeneous", bool(answer), answer.sentence)

    def predict(self, given: Given) -> list[float]:
        """The matrix times each point."""
        return (given.x @ given.A().T).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """The black box at each point."""
        return given.f(given.x).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """An offset: each column carries it, and Ax counts it as often as x has weight."""
        return self.given(rng)._replace(offset=1.0)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The matrix, and its values against those of the map."""
        A = given.A()
        m, n = A.shape
        matrix = HeatMap(A.flip(0), x=(0.5, n + 0.5), y=(0.5, m + 0.5), label="A, row 1 on top")
        ax = self.predict(given)
        line = Curve(sorted(ax), x=sorted(ax), label="f(x) = Ax", role="predicted")
        values = Points(ax, self.measure(given), label="the black box")
        return (
            Figure("Images of the basis", x="column j: f(e_j)", y="output", marks=(matrix,)),
            Figure("The matrix foretells the map", x="Ax", y="f(x)", marks=(line, values)),
        )
