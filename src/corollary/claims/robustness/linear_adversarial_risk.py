r"""Attacks bound the adversarial risk from below.

For the linear logistic model the empirical adversarial risk is exact,

.. math:: \hat R_{\mathrm{adv}}=\frac1n\sum_i\log\bigl(1+e^{-(y_i\langle
   w,x_i\rangle-\epsilon\|w\|_1)} \bigr)\ \ge\ \hat R,

it grows with :math:`\epsilon`, and equals the risk at :math:`\epsilon=0`. Any attack stays at or
below it. Measured: what few plain gradient steps (which are not the sign steps that solve the
linear case at once) find at several radii.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.4, Equations 12.10 to 12.13.
:kind: bound
:cost: instant
:covers: adversarial-risk
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.data.separable import separable_cloud
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.theory.robustness.risk import adversarial_risk, linear_adversarial_risk


class Given(NamedTuple):
    """Weights, data, and by how much the attack exceeds its radius."""

    w: Float[Tensor, " d"]
    x: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    excess: float

    def model(self) -> nn.Linear:
        """The linear score."""
        layer = nn.Linear(len(self.w), 1, bias=False).double()
        with torch.no_grad():
            layer.weight.copy_(self.w[None])
        return layer


class LinearAdversarialRisk(Claim[Given]):
    n: int = option(200, low=2, high=5000)  # points
    d: int = option(20, low=2, high=200)  # dimension
    radii: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1)  # sizes of perturbations
    steps: int = option(8, low=1, high=100)  # of the attack
    relation = at_most(ulps=256)  # sums over points and coordinates

    def given(self, rng: Generator) -> Given:
        """A separable cloud and a scaled separating direction."""
        x, y, u = separable_cloud(self.n, self.d, 0.1, rng=rng)
        return Given(10 * u, x, y, 1.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The attack is one on this ball."""
        yield Hypothesis("the perturbations stay in the ball", given.excess <= 1)

    def predict(self, given: Given) -> list[float]:
        """The exact risk."""
        return [linear_adversarial_risk(given.w, given.x, given.y, e) for e in self.radii]

    def measure(self, given: Given) -> list[float]:
        """The attack's."""
        return [self._attacked(given, e, self.steps) for e in self.radii]

    def counterexample(self, rng: Generator) -> Given:
        """An attack with four times the radius."""
        given = self.given(rng)
        return given._replace(excess=4.0)

    def figure(self, given: Given) -> Figure:
        """Risks against the radius."""
        grid = [max(self.radii) * i / 20 for i in range(21)]
        exact = [linear_adversarial_risk(given.w, given.x, given.y, e) for e in grid]
        marks: list[Curve | Points] = [
            Curve(exact, grid, label="exact adversarial risk", role="predicted"),
            Points(self.radii, self.measure(given), label=f"{self.steps} gradient steps"),
            Points(
                self.radii, [self._attacked(given, e, 1) for e in self.radii], role="other",
                label="1 gradient step",
            ),
            Curve([exact[0]] * 21, grid, label="risk without attack", role="other"),
        ]  # fmt: skip
        return Figure(
            "Risk of a linear classifier under attack", x="ε", y="mean loss", marks=tuple(marks)
        )

    def _attacked(self, given: Given, eps: float, steps: int) -> float:
        eps = eps * given.excess
        attack = PGD(
            eps, alpha=eps, steps=steps, start="zero", box=None, keep="best", step="gradient"
        )
        return adversarial_risk(given.model(), given.x, given.y, attack).adversarial
