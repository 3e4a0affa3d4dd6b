r"""Units can be chosen one by one.

If f lies in the hull of :math:`\{\pm M\phi:\phi\in\Phi\}` with :math:`\|\phi\|\le1`, the greedy
algorithm, which at each step moves towards the unit with the largest correlation with what is left,
has after n steps

.. math:: \|f-f_n\|^2\le\frac{16M^2}{n+2} .

This is a constructive form of Barron's theorem, with M the mass of the threshold representation. If
M is understated the target is out of reach, and the error stops falling.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 27; Barron (1993), Universal
    approximation bounds for superpositions of a sigmoidal function; Jones (1992), A simple lemma
    on greedy approximation in Hilbert space; Jaggi (2013), Revisiting Frank-Wolfe, Theorem 1.
:kind: bound
:cost: instant
:covers: barron-theorem
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option
from corollary.models.approximators.barron import greedy, sample_units
from corollary.models.approximators.steps import step
from corollary.theory.approximation.spectra import Cosines


class Given(NamedTuple):
    """Threshold units at points, coefficients of the target, and the mass allowed."""

    features: Float[Tensor, "p N"]
    c: Float[Tensor, " N"]
    M: float


@dataclass(frozen=True)
class BarronGreedy(Claim[Given]):
    """The squared error after each step."""

    d: int = option(3, low=1, high=50)  # dimension
    n: int = option(40, low=4, high=400)  # steps
    relation = at_most()  # the greedy error is below the bound by far more than rounding

    def given(self, rng: Generator) -> Given:
        """A wide network drawn for a cosine, which is the target."""
        w = torch.randn(1, self.d, generator=rng, dtype=torch.float64)
        w = 0.5 * w / w.norm()
        units = sample_units(Cosines(w, w.new_ones(1), w.new_full((1,), 0.1)), 600, rng=rng)
        u = torch.randn(200, self.d, generator=rng, dtype=torch.float64)
        features = step(u / u.norm(dim=1, keepdim=True) @ units.w.T + units.b)
        c = units.c / len(units.c)
        return Given(features, c, float(c.abs().sum()))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """In the hull."""
        mass = float(given.c.abs().sum())
        yield Hypothesis("the coefficients of f have moduli that sum to at most M",
                         mass <= given.M * (1 + 1e-12), f"{mass:.3g}, {given.M:.3g}")  # fmt: skip
        yield Hypothesis("units have norm at most 1",
                         bool(given.features.square().mean(0).max() <= 1))  # fmt: skip

    def predict(self, given: Given) -> list[float]:
        """The bound after each step."""
        return [16 * given.M**2 / (i + 2) for i in range(1, self.n + 1)]

    def measure(self, given: Given) -> list[float]:
        """The error after each step."""
        target = given.features @ given.c
        return greedy(given.features, target, given.M, self.n).errors.tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A hull that is too small by far."""
        given = self.given(rng)
        return given._replace(M=given.M / 50)

    def figure(self, given: Given) -> Figure:
        """Errors over steps, for the right hull and for one that is too small."""
        steps = range(1, self.n + 1)
        small = given._replace(M=given.M / 50)
        return Figure(
            "One unit at a time",
            x="n",
            y="‖f − fₙ‖²",
            log_x=True,
            log_y=True,
            marks=(
                Curve(self.predict(given), steps, label="16M² / (n + 2)", role="predicted"),
                Curve(self.measure(given), steps, label="greedy network"),
                Curve(self.measure(small), steps, label="mass M/50 only", role="other",
                      dashed=True),
            ),
        )  # fmt: skip
