r"""Two-class softmax is a sigmoid.

With two classes

.. math:: \frac{e^{x\cdot\theta_1}}{e^{x\cdot\theta_1}+e^{x\cdot\theta_2}}
   =\frac{1}{1+e^{-x\cdot(\theta_1-\theta_2)}}=\sigma(x\cdot\theta),\qquad
   \theta=\theta_1-\theta_2 .

A third class takes its share, and the sigmoid is then the probability of class 1 among the first
two only.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.4; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Softmax.
:kind: identity
:cost: instant
:covers: softmax-sigmoid-reduction
:erratum: [possible OCR artefact] The middle line of Lucchi (2025) reads
    e^{x(theta1-theta2)}/(e^{x(theta1-theta2)}+e^{x(theta2-theta1)}), which is sigma(2 x.theta):
    0.881 instead of 0.731 at x.theta1 = 0.7, x.theta2 = -0.3. The slides have it right.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals
from corollary.theory.networks.softmax import softmax


class Given(NamedTuple):
    """A classifier and points."""

    Theta: Float[Tensor, "k d"]
    x: Float[Tensor, "n d"]


class SoftmaxIsSigmoid(Claim[Given]):
    n: int = 200  # points
    d: int = 5  # dimension
    relation = equals(ulps=256)  # exponentials of differences of logits

    def given(self, rng: Generator) -> Given:
        """Two Gaussian rows and points."""
        return self._drawn(rng, 2)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Two classes."""
        k = len(given.Theta)
        yield Hypothesis("there are two classes", k == 2, f"k = {k}")

    def predict(self, given: Given) -> list[float]:
        """The sigmoid of the difference."""
        return torch.sigmoid(given.x @ (given.Theta[0] - given.Theta[1])).tolist()

    def measure(self, given: Given) -> list[float]:
        """Softmax."""
        return softmax(given.x @ given.Theta.T)[:, 0].tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Three classes."""
        return self._drawn(rng, 3)

    def figure(self, given: Given) -> Figure:
        """Both over the argument of the sigmoid, with the line as read."""
        z = given.x @ (given.Theta[0] - given.Theta[1])
        t = torch.linspace(float(z.min()), float(z.max()), 161).to(z)
        marks = (
            Curve(torch.sigmoid(t), x=t, label="σ(x·θ)", role="predicted"),
            Points(z[:60], self.measure(given)[:60], label="softmax"),
            Curve(torch.sigmoid(2 * t), x=t, label="σ(2x·θ)", role="other", dashed=True),
        )
        return Figure("Softmax of two classes", x="x·(θ₁ − θ₂)", y="P(class 1)", marks=marks)

    def _drawn(self, rng: Generator, k: int) -> Given:
        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, dtype=torch.float64, device=rng.device)

        return Given(normal(k, self.d), normal(self.n, self.d))
