r"""Barron's rate 1/n does not depend on the dimension.

The mean squared error of networks with n units drawn from the Fourier integral falls like

.. math:: \mathbb{E}\int_{B_r}(f-f_n)^2d\mu\propto n^{-1}

in every dimension d: here up to 50, where a grid of ten points along each axis would have
:math:`10^{50}` cells. The constant may still depend on d. The draws have to be independent: n units
of which only eight are different do no better than eight.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 27 and Remark 3; Barron (1993),
    Universal approximation bounds for superpositions of a sigmoidal function, Theorem 1.
:kind: rate
:uses: barron_theorem, maurey_lemma
:covers: barron-theorem
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, Sweep, normal, option, slope, uniform
from corollary.models.approximators.barron import Units, sample_units
from corollary.models.approximators.steps import step
from corollary.theory.approximation.spectra import GaussianBump

SIZES = (16, 32, 64, 128, 256)


class Given(NamedTuple):
    f: GaussianBump  # a bump off the origin
    x: Float[Tensor, "p d"]  # points
    units: Units  # 256 for each network


def repeated(given: Given) -> Given:
    """Eight different units, repeated, do no better than eight."""
    n = torch.arange(len(given.units.b))
    first = n - n % SIZES[-1] + n % 8
    return given._replace(units=Units(*(part[first] for part in given.units)))


class BarronRate(Claim[Given]):
    d: int = option(10, low=1, high=200)  # dimension
    trials: int = option(200, low=20, high=1000)  # networks of each size

    relation = slope(gap=0.15)  # two hundred networks of each size leave 0.05
    supposes = (
        Suppose(
            "the points lie in the unit ball",
            lambda g: g.x.norm(dim=1).max() <= 1,
            "The points lie far outside the ball, beyond all thresholds.",
            x=lambda g: 50 * g.x,
        ),
        Suppose(
            "the units are drawn independently",
            lambda g: len(g.units.b.unique()) == len(g.units.b),
            without=repeated,
        ),
    )
    symbols = "slope −1", "mean of ∫ (f − fₙ)² dμ"
    predicts = -1.0
    shows = (
        Over("The mean squared error falls like one over the number of units", x="units n"),
        Sweep("Fitted exponent in each dimension", "d", (1, 5, 20, 50), y="exponent", log=""),
    )

    def given(self, rng: Generator) -> Given:
        u = normal(rng, 81, self.d)
        u = u / u.norm(dim=1, keepdim=True)
        x, f = uniform(rng, 80, 1) * u[:80], GaussianBump(u[80] / 2, 1.0)
        return Given(f, x, sample_units(f, self.trials * SIZES[-1], rng=rng))

    def measure(self, given: Given) -> Series:
        target, (w, b, c) = given.f(given.x) - given.f(0 * given.x[:1]), given.units
        hidden = (step(given.x @ w.T + b) * c).reshape(len(target), -1, SIZES[-1])
        errors = [hidden[:, :, :n].mean(2) - target[:, None] for n in SIZES]
        return Series(SIZES, [float(e.square().mean()) for e in errors])
