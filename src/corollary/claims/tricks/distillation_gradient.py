r"""Gradient of distillation.

For the tempered cross-entropy of a student's logits G under a teacher's logits F,

.. math:: \ell=-\sum_y\operatorname{softmax}(F/T)_y\ln\operatorname{softmax}(G/T)_y,\qquad
   \frac{\partial\ell}{\partial G}=\frac1T\bigl(\operatorname{softmax}(G/T)-
   \operatorname{softmax}(F/T)\bigr),

so the loss is least where the two agree up to a constant.

:source: Perez Jensen (2025), Deep Learning, Section 8.9; Hinton, Vinyals and Dean (2015),
    "Distilling the knowledge in a neural network", Section 2, (2).
:kind: identity
:uses: cross_entropy_gradient
:covers: knowledge-distillation
:erratum: [typo] The notes' formulas lack the minus sign of a cross-entropy, and their gradient goes
    with that; the first, untempered one already contains T; the gradient is a difference of
    tempered probabilities, not of logits. The counterexample keeps the printed sign.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Level, Marks, Role, picture
from corollary.theory.tricks.distillation import distillation, distillation_gradient


def cross_entropy(target: Tensor, logits: Tensor) -> Tensor:
    """Of the softmax of ``logits`` under ``target``, by torch."""
    return -(target * torch.log_softmax(logits, dim=-1)).sum()


class Given(NamedTuple):
    F: Float[Tensor, "n k"]  # logits of the teacher
    G: Float[Tensor, "n k"]  # logits of the student
    loss: Callable[[Tensor, Tensor], Tensor]  # of probabilities and tempered logits


def least_at_target(given: Given) -> Tensor:
    """By how much the loss of the target itself is below that of uniform probabilities."""
    p = torch.tensor([0.7, 0.2, 0.1], dtype=torch.float64)
    return given.loss(p, torch.zeros_like(p)) - given.loss(p, p.log())


class DistillationGradient(Claim[Given]):
    n: int = option(4, low=1, high=100)  # examples
    k: int = option(5, low=2, high=100)  # classes
    T: float = option(2.0, low=0.1, high=100.0)  # temperature

    relation = equals(ulps=2**8, scale=1.0)  # two ways to a softmax
    supposes = Suppose(
        "the loss is least where student and teacher agree",
        least_at_target,
        "With the printed sign, gradient descent moves the student away from the teacher.",
        loss=lambda g: lambda target, logits: -cross_entropy(target, logits),
    )
    symbols = "(softmax(G/T) − softmax(F/T)) / T", "∂ℓ/∂G by autograd"
    shows = Parity("Gradient of distillation")

    def given(self, rng: Generator) -> Given:
        F, G = 3 * normal(rng, 2, self.n, self.k)
        return Given(F, G, cross_entropy)

    def predict(self, given: Given) -> Tensor:
        return distillation_gradient(given.G, given.F, self.T).flatten()

    def measure(self, given: Given) -> Tensor:
        G = given.G.clone().requires_grad_()
        loss = given.loss(torch.softmax(given.F / self.T, dim=1), G / self.T)
        return torch.autograd.grad(loss, G)[0].flatten()

    @picture(
        "Distillation loss from student to teacher",
        x="position s between student and teacher",
        y="ℓ − H(teacher)",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        F, G, _ = trial.given
        s = torch.linspace(-0.5, 2.5, 61, dtype=torch.float64)
        way = G[0] + s[:, None] * (F[0] - G[0])
        yield Level(1.0, label="G = F", axis="x")
        shown: list[tuple[float, Role]] = [
            (1.0, "other"),
            (self.T, "measured"),
            (4 * self.T, "other"),
        ]
        for T, role in shown:
            loss = distillation(way, F[0].expand_as(way), T) - distillation(F[:1], F[:1], T)
            yield Curve(loss, s, label=f"T = {T:g}", role=role)
