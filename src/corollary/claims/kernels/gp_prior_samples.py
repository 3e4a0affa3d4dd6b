r"""Samples of the Gaussian process with the RBF kernel.

Functions drawn from :math:`GP(0, e^{-(x-x')^2/2})` have unit variance, correlation
:math:`e^{-r^2/2}` at distance r, and a derivative in mean square of variance
:math:`-\partial_r^2K|_0 = 1`: for finite differences,

.. math:: E\Bigl[\Bigl(\frac{f(x+h) - f(x)}h\Bigr)^2\Bigr] = \frac{2(1 - e^{-h^2/2})}{h^2} \to 1 .

:source: Lucchi (2025), Foundations of Deep Learning, Figure 7.2; Rasmussen and Williams (2006),
    "Gaussian processes for machine learning", Section 4.1.1.
:kind: experiment
:cost: instant
:covers: gp-prior-samples-figure, gaussian-process-definition
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Band,
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Points,
    Sample,
    option,
    within_interval,
)
from corollary.theory.kernels.gaussian_process import GP
from corollary.theory.kernels.kernel import RBFKernel

STEP = 0.1
DISTANCES = (0, 5, 10, 20, 30)  # in steps


class Given(NamedTuple):
    """Functions on a grid, and the covariance they are drawn with at one step."""

    f: Float[Tensor, "draws n"]
    near: float  # covariance of neighbours


class GpPriorSamples(Claim[Given]):
    draws: int = option(4000, low=10, high=100_000)  # functions
    relation = within_interval(level=0.999, resolution=0.12)  # 4000 draws of squares, spread 1.5

    def given(self, rng: Generator) -> Given:
        """Draws on a grid of step 0.1."""
        return _drawn(lambda x, y: RBFKernel()(x, y), self.draws, rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A covariance with a second derivative."""
        drop = (1 - given.near) / STEP**2
        yield Hypothesis(
            "the covariance is smooth at distance 0", drop <= 1, f"1 - K(h) = {drop:.3g} h²"
        )

    def predict(self, given: Given) -> list[float]:
        """The kernel at each distance, and the finite difference."""
        values = [math.exp(-((STEP * k) ** 2) / 2) for k in DISTANCES]
        return [*values, 2 * (1 - math.exp(-(STEP**2) / 2)) / STEP**2]

    def measure(self, given: Given) -> list[Sample]:
        """Products over the draws."""
        f = given.f
        products = [Sample((f[:, 0] * f[:, k]).tolist()) for k in DISTANCES]
        return [*products, Sample((((f[:, 1] - f[:, 0]) / STEP) ** 2).tolist())]

    def counterexample(self, rng: Generator) -> Given:
        """The covariance exp(-|r|) has the same variance and rough samples."""
        return _drawn(lambda x, y: torch.exp(-torch.cdist(x, y)), self.draws, rng)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Some functions, and the correlation."""
        x = [STEP * k for k in range(given.f.shape[1])]
        shown = [
            Curve(f, x=x, label=f"draw {k + 1}", role="measured") for k, f in enumerate(given.f[:4])
        ]
        two = [2.0] * len(x)
        band = Band(x, [-2.0] * len(x), two, label="±2 standard deviations", role="predicted")
        samples = Figure("Draws from the prior", x="x", y="f(x)", marks=(band, *shown))
        found = [m.read(0.99) for m in self.measure(given)[:-1]]
        r = [STEP * k for k in DISTANCES]
        grid = torch.linspace(0, 3, 61)
        correlation = Figure(
            "Correlation over distance",
            x="r",
            y="E[f(x) f(x + r)]",
            marks=(
                Curve(torch.exp(-(grid**2) / 2), x=grid, label="exp(-r²/2)", role="predicted"),
                Points(
                    r,
                    [m.value for m in found],
                    low=[m.low for m in found],
                    high=[m.high for m in found],
                    label="mean over draws",
                ),
            ),
        )
        return samples, correlation


def _drawn(kernel, draws: int, rng: Generator) -> Given:  # noqa: ANN001 - any covariance
    x = STEP * torch.arange(max(DISTANCES) + 1, dtype=torch.float64)[:, None]
    return Given(GP(kernel).sample(x, draws, rng=rng), float(kernel(x[:1], x[1:2])))
