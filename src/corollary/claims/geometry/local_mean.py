r"""The Laplacian is the deviation from the local mean.

For a smooth :math:`f:\mathbb{R}^d\to\mathbb{R}` the mean over the sphere of radius :math:`r`
around :math:`x` is

.. math:: \frac{1}{|S_r|}\int_{S_r(x)}f=f(x)+\frac{r^2}{2d}\Delta f(x)+O(r^4),

so that :math:`\frac{2d}{r^2}(\text{mean}-f(x))` is :math:`\Delta f(x)` up to an error that shrinks
like :math:`r^2`. A kink spoils the rate: at the origin of :math:`\|x\|` the quotient grows
like :math:`1/r`.

:source: Perez Jensen (2025), Deep Learning, Section 7.5, Definition 7.6.
:kind: rate
:covers: continuous-laplacian
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, normal, option, slope
from corollary.theory.geometry.local_mean import laplace_operator, laplacian_by_means


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]
    x: Float[Tensor, "1 d"]
    truth: float  # the Laplacian of f at x


def unsettled(g: Given) -> float:
    """The relative change of a second difference when its step shrinks tenfold."""

    def second(h: float) -> float:
        return float(g.f(g.x + h) + g.f(g.x - h) - 2 * g.f(g.x)) / h**2

    return abs(second(1e-3) / second(1e-2) - 1)


class LocalMean(Claim[Given]):
    d: int = option(3, low=1, high=20)  # dimension
    radii: tuple[float, ...] = (0.025, 0.05, 0.1, 0.2)  # radii of spheres, growing
    frames: int = option(64, low=1, high=1000)  # orthonormal frames that make up a sphere

    relation = slope(gap=0.1)  # the next term of the expansion bends the line at the largest r
    supposes = Suppose(
        "f is smooth at x: its second difference converges",
        lambda g: 0.1 - unsettled(g),
        "At the tip of a cone the quotient grows like 1/r.",
        lambda g: Given(lambda x: x.norm(dim=1), torch.zeros_like(g.x), 0.0),
    )
    symbols = "∝ r²", "error of 2d/r² (mean − f(x))"
    predicts = 2.0
    shows = Over("Deviation from the mean over a sphere", x="r")

    def given(self, rng: Generator) -> Given:
        a, x = normal(rng, 2, 1, self.d)
        a = 2 * a / a.norm()

        def f(x: Tensor) -> Tensor:  # all derivatives of the first part are of one size
            return torch.exp((x * a).sum(dim=1)) + x[:, 0] * x[:, -1]

        return Given(f, x, float(laplace_operator(f, x)))

    def measure(self, given: Given, rng: Generator) -> Series:
        def quotient(r: float) -> float:  # with the same directions at all radii
            rng_ = rng.clone_state()
            return float(laplacian_by_means(given.f, given.x, r, frames=self.frames, rng=rng_))

        return Series(self.radii, [abs(quotient(r) - given.truth) for r in self.radii])
