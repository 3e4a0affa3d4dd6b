r"""Weighted distance in Fourier space.

If :math:`f\varphi` and :math:`g\varphi` are square integrable, the squared distance of f and g
under the density :math:`\varphi^2` is a distance of transforms,

.. math:: \int (f - g)^2\varphi^2\,dx = \|\widehat{f\varphi} - \widehat{g\varphi}\|^2
          = \|\hat f * \hat\varphi - \hat g * \hat\varphi\|^2 ,

even where f and g have no transforms of their own but distributions. What a network cannot say in
frequencies, it cannot learn in :math:`L^2(\varphi^2)`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.2, Step I; Eldan and Shamir
    (2016), "The power of depth for feedforward neural networks".
:kind: identity
:cost: instant
:covers: eldan-shamir-parseval
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, equals, option
from corollary.theory.approximation.fourier import centred_grid, transform
from corollary.theory.expressivity.weighted_distance import weighted_l2

REACH = {1: (256, 1 / 16), 2: (48, 1 / 4)}  # grid points along an axis and their distance
Function = Callable[[Tensor], Tensor]


class Given(NamedTuple):
    """Two functions, the root of a density, and the dimension."""

    f: Function
    g: Function
    phi: Function
    d: int


@dataclass(frozen=True)
class WeightedParseval(Claim[Given]):
    """The integral on a wide grid against both routes through frequencies on a narrower one."""

    d: int = option(1, low=1, high=2)  # dimension
    m: int = option(5, low=1, high=50)  # units of each network
    relation = equals(ulps=2.0**20)  # aliasing of the tanh units and of the ends, below 1e-10

    def given(self, rng: Generator) -> Given:
        """Two networks of tanh units and a Gaussian."""
        return Given(_network(self.m, self.d, rng), _network(self.m, self.d, rng), _gauss, self.d)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Square integrable, as seen at the ends of the grid."""
        x = centred_grid(given.d, *REACH[given.d])
        edge = (x.abs().amax(dim=-1) >= 0.95 * x.abs().max()) & (x.norm(dim=-1) > 0)
        size = [((u(x) * given.phi(x)).abs()[edge]).max() for u in given[:2]]
        top = float(torch.stack(size).max())
        yield Hypothesis("f φ and g φ die out and are square integrable", top < 1e-6, f"{top:.2g}")

    def predict(self, given: Given) -> float:
        """The integral by points, on a grid twice as wide and half as coarse."""
        n, step = REACH[given.d]
        x = centred_grid(given.d, 4 * n, step / 2)
        gap = (given.f(x) - given.g(x)) * given.phi(x)
        return float(gap.square().sum()) * (step / 2) ** given.d

    def measure(self, given: Given) -> list[float]:
        """By the transforms of the products, and by convolved transforms."""
        n, step = REACH[given.d]
        x = centred_grid(given.d, n, step)
        found = weighted_l2(given.f(x), given.g(x), given.phi(x), step)
        return [found.frequencies, found.convolved]

    def counterexample(self, rng: Generator) -> Given:
        """A function that grows as fast as the weight falls: the integral never ends."""
        given = self.given(rng)
        return given._replace(f=lambda x: 1 / _gauss(x))

    def figure(self, given: Given) -> Figure:
        """The spectrum of the gap along the first axis."""
        n, step = REACH[given.d]
        x = centred_grid(given.d, n, step)
        gap = transform((given.f(x) - given.g(x)) * given.phi(x), step)
        alone = transform(given.phi(x), step)
        line = (slice(None), *[n // 2] * (given.d - 1))
        w = gap.w[line][:, 0]
        near = w.abs() <= 3
        marks = (
            Curve(gap.values[line].abs()[near], w[near], "|(fφ)^ - (gφ)^|"),
            Curve(alone.values[line].abs()[near], w[near], "|φ^|", "other", dashed=True),
        )
        title = f"∫(f - g)²φ² = {self.predict(given):.6g}, in frequencies"
        return Figure(title, x="ω₁", y="modulus", marks=marks)


def _network(m: int, d: int, rng: Generator) -> Function:
    w, b, a = (torch.randn(*k, generator=rng, dtype=torch.float64) for k in ((d, m), (m,), (m,)))
    w = w / w.norm(dim=0).clamp(min=1.0)  # steeper units have wider spectra than the grid
    return lambda x: torch.tanh(x @ w + b) @ a / m


def _gauss(x: Tensor) -> Tensor:
    return torch.exp(-x.square().sum(dim=-1))
