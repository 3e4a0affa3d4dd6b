r"""Gradient of distillation.

For the tempered cross-entropy of a student's logits G under a teacher's logits F,

.. math:: \ell=-\sum_y\operatorname{softmax}(F/T)_y\ln\operatorname{softmax}(G/T)_y,\qquad
   \frac{\partial\ell}{\partial G}=\frac1T\bigl(\operatorname{softmax}(G/T)-
   \operatorname{softmax}(F/T)\bigr),

so the loss is least where the two agree up to a constant.

:source: Perez Jensen (2025), Deep Learning, Section 8.9; Hinton, Vinyals and Dean (2015),
    "Distilling the knowledge in a neural network", Section 2, (2).
:kind: identity
:cost: instant
:covers: knowledge-distillation
:erratum: [typo] The notes' formulas lack the minus sign of a cross-entropy, and their gradient goes
    with that; the first, untempered one already contains T; the gradient is a difference of
    tempered probabilities, not of logits. The counterexample keeps the printed sign.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.theory.tricks.distillation import distillation, distillation_gradient


class Given(NamedTuple):
    """Logits of teacher and student, and the sign of the loss."""

    F: Float[Tensor, "n k"]
    G: Float[Tensor, "n k"]
    sign: float


@dataclass(frozen=True)
class DistillationGradient(Claim[Given]):
    """The formula against autograd."""

    n: int = option(4, low=1, high=100)  # examples
    k: int = option(5, low=2, high=100)  # classes
    T: float = option(2.0, low=0.1, high=100.0)  # temperature
    relation = equals(ulps=2**8, scale=1.0)  # two ways to a softmax

    def given(self, rng: Generator) -> Given:
        """Normal logits."""
        F, G = 3 * torch.randn(2, self.n, self.k, generator=rng, dtype=torch.float64)
        return Given(F, G, -1.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The sign of a cross-entropy."""
        yield Hypothesis("the logarithms are counted negatively", given.sign == -1)

    def predict(self, given: Given) -> list[float]:
        """The formula."""
        return distillation_gradient(given.G, given.F, self.T).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """Autograd on torch's own softmax."""
        G = given.G.clone().requires_grad_()
        target = torch.softmax(given.F / self.T, dim=1)
        loss = given.sign * (target * torch.log_softmax(G / self.T, dim=1)).sum()
        return torch.autograd.grad(loss, G)[0].flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The sign as printed."""
        return self.given(rng)._replace(sign=1.0)

    def figure(self, given: Given) -> Figure:
        """The loss on the way from the student through the teacher."""
        s = torch.linspace(-0.5, 2.5, 61, dtype=torch.float64)
        marks: list[Curve | Level] = []
        for T, role in ((1.0, "other"), (self.T, "measured"), (4 * self.T, "other")):
            way = given.G[0] + s[:, None] * (given.F[0] - given.G[0])
            loss = distillation(way, given.F[0].expand_as(way), T)
            least = distillation(given.F[:1], given.F[:1], T)
            marks.append(Curve(loss - least, s, label=f"T = {T:g}", role=role))
        marks.append(Level(1.0, label="G = F", axis="x"))
        return Figure(
            "Distillation loss from student to teacher", x="share of the way s", y="ℓ − H(teacher)",
            marks=tuple(marks),
        )  # fmt: skip
