r"""Attacks bound the adversarial risk from below.

For the linear logistic model the empirical adversarial risk is exact,

.. math:: \hat R_{\mathrm{adv}}=\frac1n\sum_i\log\bigl(1+e^{-(y_i\langle
   w,x_i\rangle-\epsilon\|w\|_1)} \bigr)\ \ge\ \hat R,

it grows with :math:`\epsilon`, and equals the risk at :math:`\epsilon=0`. Any attack stays at or
below it. Measured: what few plain gradient steps (which are not the sign steps that solve the
linear case at once) find at several radii.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.4, Equations 12.10 to 12.13.
:kind: bound
:uses: linear_worst_case
:covers: adversarial-risk
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Along, Claim, Suppose, at_most, option
from corollary.data.separable import separable_cloud
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.theory.robustness.risk import adversarial_risk, linear_adversarial_risk


class Given(NamedTuple):
    w: Float[Tensor, " d"]  # weights
    x: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    excess: float  # factor by which the attack exceeds its radius


class LinearAdversarialRisk(Claim[Given]):
    n: int = option(200, low=2, high=5000)  # points
    d: int = option(20, low=2, high=200)  # dimension
    radii: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1)  # sizes of perturbations
    steps: int = option(8, low=1, high=100)  # steps of the attack

    relation = at_most(ulps=256)  # sums over points and coordinates
    supposes = Suppose(
        "the perturbations stay in the ball",
        lambda g: (g.excess <= 1, f"{g.excess:g} times the radius"),
        "The attack uses four times the radius.",
        excess=4.0,
    )
    symbols = "exact adversarial risk", "risk under a few gradient steps"
    rows = "ε = {radii}"
    shows = Along("Risk of a linear classifier under attack", x="ε", at="radii")

    def given(self, rng: Generator) -> Given:
        x, y, u = separable_cloud(self.n, self.d, 0.1, rng=rng)
        return Given(10 * u, x, y, 1.0)

    def predict(self, given: Given) -> list[float]:
        return [linear_adversarial_risk(given.w, given.x, given.y, e) for e in self.radii]

    def measure(self, given: Given) -> list[float]:
        model = nn.Linear(len(given.w), 1, bias=False, dtype=torch.float64)
        model.load_state_dict({"weight": given.w[None]})

        def attacked(eps: float) -> float:
            attack = PGD(
                eps,
                alpha=eps,
                steps=self.steps,
                start="zero",
                box=None,
                keep="best",
                step="gradient",
            )
            return adversarial_risk(model, given.x, given.y, attack).adversarial

        return [attacked(given.excess * e) for e in self.radii]
