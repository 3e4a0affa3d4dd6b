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
:uses: softmax_shift
:covers: softmax-sigmoid-reduction
:erratum: [possible OCR artefact] The middle line of Lucchi (2025) reads
    e^{x(theta1-theta2)}/(e^{x(theta1-theta2)}+e^{x(theta2-theta1)}), which is sigma(2 x.theta):
    0.881 instead of 0.731 at x.theta1 = 0.7, x.theta2 = -0.3. The slides have it right.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal
from corollary.models.softmax_classifier import SoftmaxClassifier


class Given(NamedTuple):
    Theta: Float[Tensor, "k d"]  # a classifier
    x: Float[Tensor, "n d"]  # points
    z: Float[Tensor, " n"]  # x·(θ₁ − θ₂), ascending


class SoftmaxIsSigmoid(Claim[Given]):
    n: int = 100  # points
    d: int = 5  # dimension

    relation = equals(ulps=256)  # exponentials of differences of logits
    supposes = Suppose(
        "there are two classes",
        lambda g: (len(g.Theta) == 2, f"k = {len(g.Theta)}"),
        "A third class gets a part of the probability.",
        Theta=lambda g: torch.cat([g.Theta, 0 * g.Theta[:1]]),
    )
    symbols = "σ(x·θ)", "softmax"
    shows = Along("Softmax of two classes", x="x·(θ₁ − θ₂)", y="P(class 1)", at="z")

    def given(self, rng: Generator) -> Given:
        Theta, x = normal(rng, 2, self.d), normal(rng, self.n, self.d)
        z, order = (x @ (Theta[0] - Theta[1])).sort()
        return Given(Theta, x[order], z)

    def predict(self, given: Given) -> Tensor:
        return torch.sigmoid(given.x @ (given.Theta[0] - given.Theta[1]))

    def measure(self, given: Given) -> Tensor:
        return SoftmaxClassifier.of(given.Theta).probabilities(given.x)[:, 0]
