r"""What one sign step gains.

The step :math:`\delta=\epsilon\operatorname{sign}\nabla_x\ell` maximises the linearised loss over
:math:`\|\delta\|_\infty\le\epsilon`, with gain :math:`\epsilon\|\nabla_x\ell\|_1`; for a loss with
a Lipschitz gradient

.. math:: \ell(x+\delta)-\ell(x)=\epsilon\,\|\nabla_x\ell\|_1+O(\epsilon^2).

Measured: the order of the remainder as :math:`\epsilon` grows. At a kink, where the gradient jumps,
the remainder is of order :math:`\epsilon` itself.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.1, Equation 12.4; Goodfellow,
    Shlens and Szegedy (2015), "Explaining and harnessing adversarial examples", Section 4.
:kind: rate
:cost: instant
:covers: fgsm-attack
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope
from corollary.models.mlp import MLP
from corollary.theory.prerequisites.lipschitz import batch_gradient
from corollary.theory.robustness.gradient_attacks import FGSM
from corollary.theory.robustness.scores import losses


class Given(NamedTuple):
    """A network with one score, an input and its label."""

    model: MLP
    x: Float[Tensor, "1 d"]
    y: Float[Tensor, " 1"]


class FgsmGain(Claim[Given]):
    d: int = option(40, low=2, high=200)  # dimension
    m: int = option(30, low=2, high=200)  # hidden units
    relation = slope(gap=0.15)  # third-order terms bend the line a little

    def given(self, rng: Generator) -> Given:
        """A tanh network."""
        return _drawn(MLP([self.d, self.m, 1], "tanh", rng=rng), self.d, rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No kink within reach."""
        yield Hypothesis(
            "the activation is continuously differentiable", given.model.layers[0].phi.smooth
        )

    def predict(self, given: Given) -> float:
        """Second order."""
        return 2.0

    def measure(self, given: Given) -> Series:
        """|gain - eps ||g||_1| at growing eps."""
        radii = self._radii()
        return Series(radii, [abs(gain - first) for gain, first in self._gains(given, radii)])

    def counterexample(self, rng: Generator) -> Given:
        """A leaky ReLU, with the input at the kink of every unit: x = 0."""
        given = _drawn(MLP([self.d, self.m, 1], "leaky_relu", rng=rng), self.d, rng)
        return given._replace(x=0 * given.x)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Gain against the first-order gain, and the remainder."""
        wide = [0.02 * i for i in range(1, 21)]
        found = self._gains(given, wide)
        gain = Figure(
            "A sign step gains ε‖∇ℓ‖₁ at first",
            x="ε",
            y="ℓ(x+δ) − ℓ(x)",
            marks=(
                Curve([f for _, f in found], wide, label="ε‖∇ℓ‖₁", role="predicted"),
                Points(wide, [g for g, _ in found], label="FGSM"),
            ),
        )
        radii, left = self._radii(), self.measure(given).values
        guide = [left[-1] * (r / radii[-1]) ** 2 for r in radii]
        rest = Figure(
            "What remains is of second order",
            x="ε",
            y="|gain − ε‖∇ℓ‖₁|",
            log_x=True,
            log_y=True,
            marks=(
                Curve(guide, radii, label="∝ ε²", role="predicted"),
                Points(radii, left, label="remainder"),
            ),
        )
        return gain, rest

    def _radii(self) -> list[float]:
        return [1e-4 * 2**i / self.d**0.5 for i in range(7)]

    def _gains(self, given: Given, radii: list[float]) -> list[tuple[float, float]]:
        def loss(x: Tensor) -> Tensor:
            return losses(given.model(x), given.y.expand(len(x)))

        g = float(batch_gradient(loss, given.x).abs().sum())
        moved = [FGSM(e, box=None).inputs(given.model, given.x, given.y) for e in radii]
        with torch.no_grad():
            gains = loss(torch.cat(moved)) - loss(given.x)
        return [(float(gain), e * g) for gain, e in zip(gains, radii, strict=True)]


def _drawn(model: MLP, d: int, rng: Generator) -> Given:
    x = torch.randn(1, d, generator=rng, dtype=torch.float64)
    return Given(model, x, torch.ones(1, dtype=torch.float64))
