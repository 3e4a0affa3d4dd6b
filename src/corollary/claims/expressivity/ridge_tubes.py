r"""Fourier support of a shallow network.

Let :math:`f(x) = \sum_{j\le m} a_j\,\sigma(\theta_j\cdot x + b_j)` and let the spectrum of
:math:`\varphi` be the ball :math:`R\,\mathbb B^n`. Then the spectrum of :math:`f\varphi` lies in m
tubes,

.. math:: \operatorname{supp} \widehat{f\varphi} \subseteq
          \bigcup_{j\le m} \big( \operatorname{span}\{\theta_j\} + R\,\mathbb B^n \big) .

On a computer :math:`f\varphi` is cut off at :math:`\|x\| = T`. What is outside the tubes then is at
most what was cut off, :math:`\int_{\|x\|>T} |f\varphi|^2 = O(1/T)`, and the share of the energy in
the tubes tends to 1. A radial target has its energy in all directions.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.2, Step II and Figure 4.6; Eldan
    and Shamir (2016), "The power of depth for feedforward neural networks".
:kind: limit
:cost: instant
:covers: ridge-fourier-support
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    HeatMap,
    Hypothesis,
    Points,
    Series,
    converges,
    option,
)
from corollary.data.radial_shells import radial_shells
from corollary.theory.expressivity.ball_kernel import kernel_mass, unit_volume_radius
from corollary.theory.expressivity.ridge_spectrum import even_directions, ridge_support

REACHES = (4.0, 8.0, 16.0, 32.0)  # radii T


class Given(NamedTuple):
    """A function in the plane with values between -1 and 1, and its directions."""

    f: Callable[[Tensor], Tensor]
    directions: Tensor
    radial: Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class RidgeTubes(Claim[Given]):
    """Share of the energy of a network of tanh units in its tubes, for growing cut-offs."""

    m: int = option(2, low=1, high=6)  # units
    relation = converges(gap=1e-3)  # what the cut-off at T = 32 leaves outside

    def given(self, rng: Generator) -> Given:
        """Directions with equal angles, turned at random; slopes between 2 and 4."""
        turn = float(torch.rand(1, generator=rng, dtype=torch.float64)) * torch.pi
        c, s = torch.tensor(turn).double().cos(), torch.tensor(turn).double().sin()
        directions = even_directions(self.m) @ torch.stack(
            [torch.stack([c, s]), torch.stack([-s, c])]
        )
        slope = 2 + 2 * torch.rand(self.m, 1, generator=rng, dtype=torch.float64)
        shells = radial_shells(6, 3.0, alternate=True, rng=rng)
        return Given(_Network(slope * directions), directions, shells)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The function is a sum of ridges along the directions."""
        known = isinstance(given.f, _Network) and len(given.f.theta) == len(given.directions)
        along = known and bool(_parallel(given.f.theta, given.directions))
        yield Hypothesis("f is a network with one unit along each direction", along)

    def predict(self, given: Given) -> float:
        """All of the energy."""
        return 1.0

    def measure(self, given: Given) -> Series:
        """Share of the energy in the tubes."""
        return Series(REACHES, [1 - v for v in _outside(given.f, given.directions)])

    def counterexample(self, rng: Generator) -> Given:
        """A radial target in place of the network."""
        given = self.given(rng)
        return given._replace(f=given.radial)

    def figure(self, given: Given) -> tuple[Figure, Figure, Figure]:
        """Where the energy is, for the network and the target; and what is outside the tubes."""
        cut = [1 - kernel_mass(2, T) for T in REACHES]
        outside, radial = (_outside(f, given.directions) for f in (given.f, given.radial))
        marks = (
            Curve(cut, REACHES, "mass of φ² beyond T", "predicted"),
            Points(REACHES, outside, "network, outside its tubes"),
            Points(REACHES, radial, "radial target, outside the same tubes", "other"),
        )
        leak = Figure("Energy outside the tubes", "T", "share", marks, log_x=True, log_y=True)
        titles = (("The network", given.f), ("A radial target", given.radial))
        return (leak, *(_map(title, f) for title, f in titles))


class _Network:
    """The mean of tanh units without offset."""

    def __init__(self, theta: Tensor) -> None:
        self.theta = theta

    def __call__(self, x: Tensor) -> Tensor:
        return torch.tanh(x @ self.theta.T).mean(dim=-1)


def _outside(f: Callable[[Tensor], Tensor], directions: Tensor) -> list[float]:
    """Share of the energy in none of the tubes, at each cut-off."""
    maps = [ridge_support(f, T) for T in REACHES]
    return [found.outside(directions, unit_volume_radius(2)) / found.total for found in maps]


def _parallel(a: Tensor, b: Tensor) -> bool:
    cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return bool((cross.abs() < 1e-9 * a.norm(dim=1) * b.norm(dim=1)).all())


def _map(title: str, f: Callable[[Tensor], Tensor]) -> Figure:
    found = ridge_support(f, 12.0)
    level = (found.energy / found.energy.max()).clamp(min=1e-5).log10()
    end = float(found.w.max())
    shade = HeatMap(level.T, (-end, end), (-end, end), label="log₁₀ of the energy, against its top")
    return Figure(f"{title} in frequencies", "ω₁", "ω₂", (shade,), equal=True)
