r"""The Laplacian is the deviation from the local mean.

For a smooth :math:`f:\mathbb{R}^d\to\mathbb{R}` the mean over the sphere of radius :math:`r`
around :math:`x` is

.. math:: \frac{1}{|S_r|}\int_{S_r(x)}f=f(x)+\frac{r^2}{2d}\Delta f(x)+O(r^4),

so that :math:`\frac{2d}{r^2}(\text{mean}-f(x))` is :math:`\Delta f(x)` up to an error that shrinks
like :math:`r^2`. A kink spoils the rate: at the origin of :math:`\|x\|` the quotient grows
like :math:`1/r`.

:source: Perez Jensen (2025), Deep Learning, Section 7.5, Definition 7.6.
:kind: rate
:cost: instant
:covers: continuous-laplacian
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, Series, option, slope
from corollary.theory.geometry.local_mean import laplace_operator, laplacian_by_means


class Given(NamedTuple):
    """A function, a point, its Laplacian there, and a seed for directions."""

    f: Callable[[Tensor], Tensor]
    x: Float[Tensor, "1 d"]
    truth: float
    smooth: bool
    seed: int


class LocalMean(Claim[Given]):
    d: int = option(3, low=1, high=20)  # dimension
    radii: tuple[float, ...] = (0.025, 0.05, 0.1, 0.2)  # radii of spheres, growing
    frames: int = option(64, low=1, high=1000)  # orthonormal frames that make up a sphere
    relation = slope(gap=0.1)  # the next term of the expansion bends the line at the largest r

    def given(self, rng: Generator) -> Given:
        """An exponential along a random direction, plus a saddle, at a random place."""
        a, x = torch.randn(2, 1, self.d, generator=rng, dtype=torch.float64)
        a = 2 * a / a.norm()

        def f(x: Tensor) -> Tensor:  # all derivatives of the first part are of one size
            return torch.exp((x * a).sum(dim=1)) + x[:, 0] * x[:, -1]

        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(f, x, float(laplace_operator(f, x)), True, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Derivatives."""
        yield Hypothesis("f has four continuous derivatives around x", given.smooth)

    def predict(self, given: Given) -> float:
        """The exponent."""
        return 2.0

    def measure(self, given: Given) -> Series:
        """Errors at the radii."""
        quotients = [_quotient(given, r, self.frames) for r in self.radii]
        return Series(self.radii, [abs(q - given.truth) for q in quotients])

    def counterexample(self, rng: Generator) -> Given:
        """A cone at its tip."""
        x = torch.zeros(1, self.d, dtype=torch.float64)
        return Given(lambda x: x.norm(dim=1), x, 0.0, False, 0)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The quotient, and its error."""
        grid = [0.02 * 1.25**k for k in range(16)]
        quotients = [_quotient(given, r, self.frames) for r in grid]
        value = Figure(
            "Deviation from the mean over a sphere",
            x="r",
            y="2d/r² (mean − f(x))",
            log_x=True,
            marks=(
                Points(grid, quotients, label="quotient of means"),
                Level(given.truth, label="Δf(x) by derivatives"),
            ),
        )
        errors = [max(abs(q - given.truth), 1e-15) for q in quotients]
        guide = [errors[0] * (r / grid[0]) ** 2 for r in grid]
        rate = Figure(
            "Error of the quotient",
            x="r",
            y="error",
            log_x=True,
            log_y=True,
            marks=(
                Curve(guide, x=grid, label="∝ r²", role="predicted"),
                Points(grid, errors, label="measured"),
            ),
        )
        return value, rate


def _quotient(given: Given, r: float, frames: int) -> float:
    rng = torch.Generator().manual_seed(given.seed)  # the same directions at all radii
    return float(laplacian_by_means(given.f, given.x, r, frames=frames, rng=rng))
