r"""Barron's theorem.

Let f have a finite constant :math:`C=\int\|w\||\tilde f(w)|dw` in the angular convention,
:math:`f(x)=\int e^{iw\cdot x}\tilde f(w)dw`. For every sigmoidal :math:`\sigma`, every n and every
probability :math:`\mu` on the ball of radius r there is a network

.. math:: f_n(x)=f(0)+\sum_{i\le n}c_i\,\sigma(w_i\cdot x+b_i),\quad\sum_i|c_i|\le2rC,
   \qquad\int_{B_r}(f-f_n)^2d\mu\le\frac{(2rC)^2}n .

Networks whose units are drawn from the Fourier integral reach this on average. In the convention
:math:`\hat f(w)=\int e^{-2\pi iw\cdot x}f` of the notes C is :math:`2\pi C_f`; forgetting the
:math:`2\pi` makes the bound 39 times too small, and false for these networks.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 27; Mathematical Foundations of Deep
    Learning (slides), Barron's Theorem; Perez Jensen (2025), Deep Learning, Section 2.4,
    Theorem 2.7; Barron (1993), Universal approximation bounds for superpositions of a sigmoidal
    function, Theorem 1.
:kind: bound
:uses: barron_threshold_mass, barron_scaling, maurey_choice, maurey_signed
:covers: barron-theorem
:loose: A threshold unit is on for at most half of the drawn thresholds, so the mean over drawn
    networks is at most half of the bound.
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, at_most, normal, option, uniform
from corollary.models.approximators.barron import sample_units
from corollary.models.approximators.steps import step
from corollary.theory.approximation.barron import barron_bound
from corollary.theory.approximation.spectra import Cosines


class Given(NamedTuple):
    f: Cosines  # target
    C: float  # taken for its angular constant
    x: Float[Tensor, "p d"]  # points of the ball


class BarronTheorem(Claim[Given]):
    d: int = option(2, low=1, high=50)  # dimension
    r: float = option(1.0, low=0.1, high=10.0)  # radius of the ball
    sizes: tuple[int, ...] = (8, 32, 128, 512)  # units
    trials: int = option(40, low=10, high=1000)  # networks of each size

    relation = at_most(level=0.999)  # the mean over the drawn networks
    supposes = (
        Suppose(
            "C is Barron's constant in the angular convention",
            lambda g: (g.C >= 2 * math.pi * g.f.constant * (1 - 1e-12), f"C = {g.C:.3g}"),
            "The constant of the other Fourier convention is smaller by a factor of 2π.",
            C=lambda g: g.f.constant,
        ),
        Suppose(
            "the points lie in the ball of radius r",
            lambda self, g: bool(g.x.norm(dim=1).max() <= self.r),
            "The points lie outside the ball, beyond all thresholds.",
            x=lambda g: 8 * g.x,
        ),
    )
    symbols = "(2rC)² / n", "∫ (f − fₙ)² dμ"
    rows = "n = {sizes}"
    shows = Along(
        "Squared error of networks with n random units", x="units n", at="sizes", log="xy"
    )

    def given(self, rng: Generator) -> Given:
        w = normal(rng, 3, self.d) / (2 * self.d**0.5)
        c, theta = uniform(rng, 2, 3)
        f = Cosines(w, c / c.sum(), theta)
        u = normal(rng, 100, self.d)
        length = self.r * uniform(rng, 100, 1)
        return Given(f, 2 * math.pi * f.constant, length * u / u.norm(dim=1, keepdim=True))

    def predict(self, given: Given) -> list[float]:
        return [barron_bound(given.C, self.r, n, convention="angular") for n in self.sizes]

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        target = given.f(given.x) - given.f(torch.zeros_like(given.x[:1]))

        def errors(n: int) -> Tensor:
            units = sample_units(given.f, self.trials * n, self.r, rng=rng)
            hidden = step(given.x @ units.w.T + units.b) * units.c  # (p, trials n)
            values = hidden.reshape(len(target), self.trials, n).mean(2)
            return (values - target[:, None]).square().mean(0)

        return [Sample(errors(n)) for n in self.sizes]
