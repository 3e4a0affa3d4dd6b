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
:uses: fourier_conventions, ridge_invariance
:covers: ridge-fourier-support
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, Trial, converges, option, uniform
from corollary.core.picture import HeatMap, Marks, picture
from corollary.data.radial_shells import radial_shells
from corollary.theory.expressivity.ball_kernel import unit_volume_radius
from corollary.theory.expressivity.ridge_spectrum import even_directions, ridge_support

REACHES = (4.0, 8.0, 16.0, 32.0)  # radii T


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]  # in the plane, with values between -1 and 1
    directions: Float[Tensor, "m 2"]
    radius: float  # of the tubes


def difference(f: Callable[[Tensor], Tensor], way: Tensor) -> Callable[[Tensor], Tensor]:
    """The change of f along a way."""
    return lambda x: f(x + way) - f(x)


def mixed_difference(given: Given) -> Tensor:
    """1e-9 less differences across every direction in turn, 0 for a sum of ridge functions."""
    t = torch.linspace(-1, 1, 8, dtype=torch.float64)
    x = torch.stack([0.7 * t, 0.4 * t], 1)
    value = given.f
    for u, v in given.directions.tolist():
        value = difference(value, x.new_tensor([-v, u]) / 3)
    return 1e-9 - value(x).abs().max()


class RidgeTubes(Claim[Given]):
    m: int = option(2, low=1, high=6)  # units

    relation = converges(gap=1e-3)  # what the cut-off at T = 32 leaves outside
    supposes = (
        Suppose(
            "f is a sum of functions along the directions",
            mixed_difference,
            "A radial target has its energy in all directions.",
            f=lambda rng: radial_shells(6, 3.0, alternate=True, rng=rng),
        ),
        Suppose(
            "the tubes are as wide as the spectrum of φ",
            lambda g: g.radius >= unit_volume_radius(2),
            "Tubes half as wide as the spectrum of φ hold a part of the energy.",
            radius=lambda g: g.radius / 2,
        ),
    )
    symbols = "0", "share of the energy outside the tubes"
    predicts = 0.0
    shows = Over("Energy outside the tubes", x="cut-off T", log="xy")

    def given(self, rng: Generator) -> Given:
        turn = uniform(rng) * torch.pi
        rotation = torch.stack([turn.cos(), turn.sin(), -turn.sin(), turn.cos()]).reshape(2, 2)
        directions = even_directions(self.m) @ rotation
        theta = directions * (2 + 2 * uniform(rng, self.m, 1))
        f = lambda x: torch.tanh(x @ theta.T).mean(dim=-1)  # noqa: E731
        return Given(f, directions, unit_volume_radius(2))

    def measure(self, given: Given) -> Series:
        found = [ridge_support(given.f, T) for T in REACHES]
        return Series(REACHES, [s.outside(given.directions, given.radius) / s.total for s in found])

    @picture("Fourier transform of the network", x="ω₁", y="ω₂", equal=True, each=1)
    def marks(self, trial: Trial[Given]) -> Marks:
        found = ridge_support(trial.given.f, 12.0)
        level = (found.energy / found.energy.max()).clamp(min=1e-5).log10()
        ends = (-float(found.w.max()), float(found.w.max()))
        yield HeatMap(level.T, ends, ends, label="log₁₀ of the energy, against its top")
