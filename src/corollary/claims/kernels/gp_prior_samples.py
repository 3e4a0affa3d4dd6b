r"""Samples of the Gaussian process with the RBF kernel.

Functions drawn from :math:`GP(0, e^{-(x-x')^2/2})` have unit variance, correlation
:math:`e^{-r^2/2}` at distance r, and a derivative in mean square of variance
:math:`-\partial_r^2K|_0 = 1`: for finite differences,

.. math:: E\Bigl[\Bigl(\frac{f(x+h) - f(x)}h\Bigr)^2\Bigr] = \frac{2(1 - e^{-h^2/2})}{h^2} \to 1 .

:source: Lucchi (2025), Foundations of Deep Learning, Figure 7.2; Rasmussen and Williams (2006),
    "Gaussian processes for machine learning", Section 4.1.1.
:kind: experiment
:uses: gaussian_affine
:covers: gp-prior-samples-figure, gaussian-process-definition
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, Trial, option, within_interval
from corollary.core.picture import Band, Curve, Marks, picture
from corollary.theory.kernels.gaussian_process import GP
from corollary.theory.kernels.kernel import RBFKernel

X = 0.1 * torch.arange(31, dtype=torch.float64)[:, None]  # a grid


class Given(NamedTuple):
    f: Float[Tensor, "draws n"]  # functions on the grid
    near: float  # covariance of neighbours


def drawn(kernel: Callable[[Tensor, Tensor], Tensor], draws: int, rng: Generator) -> Given:
    """Functions of a Gaussian process."""
    return Given(GP(kernel).sample(X, draws, rng=rng), float(kernel(X[:1], X[1:2])))


class GpPriorSamples(Claim[Given]):
    draws: int = option(4000, low=10, high=100_000)  # functions

    distances = (0.0, 0.5, 1.0, 2.0, 3.0)
    relation = within_interval(
        level=0.999, resolution=0.12, coarse="the smallest correlation, exp(−4.5), is 0.011"
    )  # 4000 draws of squares, spread 1.5
    supposes = Suppose(
        "the covariance is smooth at distance 0: 1 − K(h) < h²",
        lambda g: 1 - (1 - g.near) / 0.1**2,
        "The covariance exp(−|r|) has the same variance, but its samples are not differentiable.",
        lambda self, rng: drawn(lambda x, y: torch.exp(-torch.cdist(x, y)), self.draws, rng),
    )
    symbols = "exp(−r²/2)", "E[f(x) f(x + r)]"
    rows = "r = 0", "r = 0.5", "r = 1", "r = 2", "r = 3", "square of the slope"
    shows = Along("Correlation over distance", x="r", at="distances")

    def given(self, rng: Generator) -> Given:
        return drawn(lambda x, y: RBFKernel()(x, y), self.draws, rng)

    def predict(self, given: Given) -> list[float]:
        slope = 2 * (1 - math.exp(-(0.1**2) / 2)) / 0.1**2
        return [*(math.exp(-(r**2) / 2) for r in self.distances), slope]

    def measure(self, given: Given) -> list[Sample]:
        f = given.f
        slope = (f[:, 1] - f[:, 0]) / 0.1
        products = [f[:, 0] * f[:, round(10 * r)] for r in self.distances]
        return [Sample(values) for values in (*products, slope.square())]

    @picture("Draws from the prior", x="x", y="f(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        x = X[:, 0]
        two = torch.full_like(x, 2.0)
        yield Band(x, -two, two, label="±2 standard deviations", role="predicted")
        for k, f in enumerate(trial.given.f[:4], 1):
            yield Curve(f, x=x, label=f"draw {k}")
