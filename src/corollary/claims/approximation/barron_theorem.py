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
:cost: instant
:covers: barron-theorem
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Points,
    Sample,
    at_most,
    generator,
    option,
)
from corollary.models.approximators.barron import sample_units
from corollary.models.approximators.steps import step
from corollary.theory.approximation.barron import barron_bound
from corollary.theory.approximation.spectra import Cosines

SIZES = (8, 32, 128, 512)


class Given(NamedTuple):
    """A target, the number taken for its angular constant, points of the ball, and a seed."""

    f: Cosines
    C: float
    x: Float[Tensor, "p d"]
    seed: int


@dataclass(frozen=True)
class BarronTheorem(Claim[Given]):
    """Squared errors of drawn networks, averaged over draws."""

    d: int = option(2, low=1, high=50)  # dimension
    r: float = option(1.0, low=0.1, high=10.0)  # radius of the ball
    trials: int = option(40, low=10, high=1000)  # networks of each size
    relation = at_most(level=0.999)  # the mean over the drawn networks

    def given(self, rng: Generator) -> Given:
        """A few cosines, and points of the ball with equal weights."""
        w = torch.randn(3, self.d, generator=rng, dtype=torch.float64) / (2 * self.d**0.5)
        c, theta = torch.rand(2, 3, generator=rng, dtype=torch.float64)
        f = Cosines(w, c / c.sum(), theta)
        u = torch.randn(100, self.d, generator=rng, dtype=torch.float64)
        length = self.r * torch.rand(100, 1, generator=rng, dtype=torch.float64)
        x = length * u / u.norm(dim=1, keepdim=True)
        seed = int(torch.randint(2**31, (1,), generator=rng))
        return Given(f, 2 * math.pi * f.constant, x, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The constant and the ball."""
        yield Hypothesis("C is Barron's constant in the angular convention",
                         given.C >= 2 * math.pi * given.f.constant * (1 - 1e-12),
                         f"C = {given.C:.3g}")  # fmt: skip
        yield Hypothesis("the points lie in the ball of radius r",
                         bool(given.x.norm(dim=1).max() <= self.r))  # fmt: skip

    def predict(self, given: Given) -> list[float]:
        """The bound at each size."""
        return [barron_bound(given.C, self.r, n, convention="angular") for n in SIZES]

    def measure(self, given: Given) -> list[Sample]:
        """Errors of drawn networks."""
        return [Sample(e.tolist()) for e in _errors(given, self.r, self.trials)]

    def counterexample(self, rng: Generator) -> Given:
        """The constant of one convention in the bound of the other."""
        given = self.given(rng)
        return given._replace(C=given.f.constant)

    def figure(self, given: Given) -> Figure:
        """Errors over n, with both bounds."""
        errors = _errors(given, self.r, self.trials)
        wrong = [barron_bound(given.f.constant, self.r, n, convention="angular") for n in SIZES]
        return Figure(
            f"Units drawn from the Fourier integral, d = {self.d}",
            x="n",
            y="∫ (f − fₙ)² dμ",
            log_x=True,
            log_y=True,
            marks=(
                Curve(self.predict(given), SIZES, label="(2rC)² / n", role="predicted"),
                Points(SIZES, [float(e.mean()) for e in errors], label="networks, middle 80 %",
                       low=[float(e.quantile(0.1)) for e in errors],
                       high=[float(e.quantile(0.9)) for e in errors]),
                Curve(wrong, SIZES, label="2π forgotten", role="other", dashed=True),
            ),
        )  # fmt: skip


@lru_cache(maxsize=4)
def _errors(given: Given, r: float, trials: int) -> list[Float[Tensor, " trials"]]:
    rng = generator(given.seed)
    target = given.f(given.x) - given.f(torch.zeros_like(given.x[:1]))
    out = []
    for n in SIZES:
        units = sample_units(given.f, trials * n, r, rng=rng)
        hidden = step(given.x @ units.w.T + units.b) * units.c  # (p, trials n)
        values = hidden.reshape(len(target), trials, n).mean(2)
        out.append((values - target[:, None]).square().mean(0))
    return out
