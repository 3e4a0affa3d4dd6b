r"""Distillation at high temperature matches logits.

As :math:`T\to\infty`, with logits centred over the N classes, the gradient of distillation tends to
that of a squared distance of logits,

.. math:: NT^2\,\frac{\partial\ell}{\partial G}=G-F+O(1/T),

which is why the loss is multiplied by :math:`T^2` beside hard labels. Measured: the largest
difference of the two sides, which falls like :math:`1/T`.

:source: Perez Jensen (2025), Deep Learning, Section 8.9; Hinton, Vinyals and Dean (2015),
    "Distilling the knowledge in a neural network", Section 2.1, (4).
:kind: rate
:cost: instant
:covers: knowledge-distillation
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope
from corollary.theory.tricks.distillation import distillation_gradient


class Given(NamedTuple):
    """Logits of teacher and student."""

    F: Float[Tensor, "n k"]
    G: Float[Tensor, "n k"]


@dataclass(frozen=True)
class DistillationHighTemperature(Claim[Given]):
    """Distance of the scaled gradient to the difference of logits."""

    n: int = option(6, low=1, high=100)  # examples
    k: int = option(5, low=3, high=100)  # classes N
    temperatures: tuple[int, ...] = option((32, 64, 128, 256, 512), low=8)  # T
    relation = slope(gap=0.1)  # the next term is 1/T smaller

    def given(self, rng: Generator) -> Given:
        """Normal logits, centred."""
        logits = torch.randn(2, self.n, self.k, generator=rng, dtype=torch.float64)
        return Given(*(logits - logits.mean(dim=2, keepdim=True)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The logits of both."""
        off = max(float(logits.mean(dim=1).abs().max()) for logits in given)
        yield Hypothesis("the logits are centred", off < 1e-12, f"means up to {off:.2g}")

    def predict(self, given: Given) -> float:
        """The exponent."""
        return -1.0

    def measure(self, given: Given) -> Series:
        """Largest differences."""
        return Series(self.temperatures, [self._off(given, T) for T in self.temperatures])

    def counterexample(self, rng: Generator) -> Given:
        """A student whose logits have another mean, which the softmax does not see."""
        given = self.given(rng)
        return given._replace(G=given.G + 1.0)

    def figure(self, given: Given) -> Figure:
        """Differences against temperature."""
        T = [2**k for k in range(11)]
        other = given._replace(G=given.G + 1.0)
        last = self._off(given, T[-1]) * T[-1]
        return Figure(
            "At high temperature distillation matches logits",
            x="T",
            y="max |N T² ∂ℓ/∂G − (G − F)|",
            log_x=True,
            log_y=True,
            marks=(
                Curve([last / t for t in T], T, "∝ 1/T", "predicted"),
                Points(T, [self._off(given, t) for t in T], label="centred logits"),
                Points(T, [self._off(other, t) for t in T], label="not centred", role="other"),
            ),
        )

    def _off(self, given: Given, T: float) -> float:
        gradient = distillation_gradient(given.G, given.F, float(T))
        return float((given.G.shape[1] * T**2 * gradient - (given.G - given.F)).abs().max())
