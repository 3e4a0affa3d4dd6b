r"""Distillation at high temperature matches logits.

As :math:`T\to\infty`, with logits centred over the N classes, the gradient of distillation tends to
that of a squared distance of logits,

.. math:: NT^2\,\frac{\partial\ell}{\partial G}=G-F+O(1/T),

which is why the loss is multiplied by :math:`T^2` beside hard labels. Measured: the largest
difference of the two sides, which falls like :math:`1/T`.

:source: Perez Jensen (2025), Deep Learning, Section 8.9; Hinton, Vinyals and Dean (2015),
    "Distilling the knowledge in a neural network", Section 2.1, (4).
:kind: rate
:uses: distillation_gradient, taylor_remainder
:covers: knowledge-distillation
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, near, normal, option, slope
from corollary.theory.tricks.distillation import distillation_gradient


class Given(NamedTuple):
    F: Float[Tensor, "n k"]  # logits of the teacher
    G: Float[Tensor, "n k"]  # logits of the student


class DistillationHighTemperature(Claim[Given]):
    n: int = option(6, low=1, high=100)  # examples
    k: int = option(5, low=3, high=100)  # classes N
    temperatures: tuple[int, ...] = option((32, 64, 128, 256, 512), low=8)  # temperatures T

    relation = slope(gap=0.1)  # the next term is 1/T smaller
    supposes = Suppose(
        "the logits are centred",
        lambda g: near(torch.stack(g).mean(dim=2), 0.0, 1e-12),
        "The student's logits have another mean, which does not change the softmax.",
        G=lambda g: g.G + 1.0,
    )
    symbols = "1/T", "max |N T² ∂ℓ/∂G − (G − F)|"
    predicts = -1.0
    shows = Over("At high temperature distillation matches logits", x="temperature T")

    def given(self, rng: Generator) -> Given:
        logits = normal(rng, 2, self.n, self.k)
        return Given(*(logits - logits.mean(dim=2, keepdim=True)))

    def measure(self, given: Given) -> Series:
        F, G = given
        gradients = (T**2 * distillation_gradient(G, F, float(T)) for T in self.temperatures)
        off = [float((self.k * g - (G - F)).abs().max()) for g in gradients]
        return Series(self.temperatures, off)
