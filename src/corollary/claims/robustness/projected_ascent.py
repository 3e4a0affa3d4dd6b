r"""Projected gradient ascent never decreases the loss.

If :math:`\delta\mapsto\ell(f(x+\delta),y)` has an L-Lipschitz gradient and :math:`\eta\le1/L`, the
steps :math:`\delta_{t+1}=\Pi(\delta_t+\eta\nabla_\delta\ell)` onto a convex set satisfy

.. math:: \ell_{t+1}-\ell_t\ \ge\ \frac{1}{2\eta}\|\delta_{t+1}-\delta_t\|^2,

so the loss never decreases and the iterates stay in the ball. For
:math:`f(x)=\langle a,\tanh(Wx)\rangle` and the logistic loss
:math:`L\le\|W\|^2\bigl(\frac4{3\sqrt3}\max_j|a_j|+\frac14\|a\|^2\bigr)`. Measured: the gains of the
first steps; predicted: what the theorem grants them.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.1, Equation 12.3; Nesterov (2004),
    Introductory Lectures on Convex Optimization, Section 2.2.3, for the step.
:kind: bound
:uses: descent_lemma
:covers: pgd-attack
"""

from itertools import pairwise
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_least, normal, option
from corollary.theory.robustness.attack import outputs
from corollary.theory.robustness.balls import Norm
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.theory.robustness.scores import losses


class Given(NamedTuple):
    W: Float[Tensor, "m d"]
    a: Float[Tensor, " m"]
    x: Float[Tensor, "1 d"]
    eta: float

    def score(self, x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
        """The network."""
        return (x @ self.W.T).tanh() @ self.a

    @property
    def y(self) -> Tensor:
        """The label that the network gives."""
        return torch.where(self.score(self.x) >= 0, 1.0, -1.0).double()

    def smoothness(self) -> float:
        """A Lipschitz constant of the gradient of the loss in the input."""
        bend = 4 / (3 * 3**0.5) * self.a.abs().max() + self.a.square().sum() / 4
        return float(torch.linalg.matrix_norm(self.W, 2) ** 2 * bend)


def long_steps(given: Given) -> Given:
    """Steps are a few hundred times too long, so the loss goes up and down."""
    steep = given._replace(W=8 * given.W)
    return steep._replace(eta=400 / steep.smoothness())


class ProjectedAscent(Claim[Given]):
    d: int = option(20, low=2, high=200)  # dimension
    m: int = option(30, low=2, high=500)  # hidden units
    eps: float = option(1.0, low=0.01, high=10.0)  # size of perturbations
    norm: Norm = "l2"  # norm of perturbations: linf, l2 or l1
    steps: int = option(12, low=4, high=40)  # steps of the ascent

    relation = at_least(ulps=64, scale=1.0)  # gains are differences of losses of size 1
    supposes = Suppose(
        "the step size is at most 1/L",
        lambda g: (g.eta * g.smoothness() <= 1 + 1e-12, f"ηL = {g.eta * g.smoothness():.3g}"),
        without=long_steps,
    )
    symbols = "‖δ(t+1) − δ(t)‖²/2η", "ℓ(t+1) − ℓ(t)"
    shows = Along("Short steps never lower the loss, long ones do", x="step t")

    def given(self, rng: Generator) -> Given:
        W, a = normal(rng, self.m, self.d) / self.d**0.5, normal(rng, self.m) / self.m**0.5
        first = Given(W, a, normal(rng, 1, self.d), 1.0)
        return first._replace(eta=1 / first.smoothness())

    def points(self, given: Given) -> list[Tensor]:
        """Iterates for t = 0, 1, ..., each as the end of a run of t steps."""
        ends = [given.x]
        for t in range(1, self.steps + 1):
            attack = PGD(
                self.eps,
                alpha=given.eta,
                steps=t,
                norm=self.norm,
                start="zero",
                box=None,
                keep="last",
                step="gradient",
            )
            ends.append(attack.inputs(given.score, given.x, given.y))
        return ends

    def predict(self, given: Given) -> list[float]:
        moves = [float((b - a).norm()) for a, b in pairwise(self.points(given))]
        return [move**2 / (2 * given.eta) for move in moves]

    def measure(self, given: Given) -> list[float]:
        loss = [float(losses(outputs(given.score, p), given.y)) for p in self.points(given)]
        return [b - a for a, b in pairwise(loss)]

    def tight(self) -> Given:
        """One unit: past zero the loss rises more and more slowly, as the step has to allow for."""
        one = torch.ones(1, 1, dtype=torch.float64)
        first = Given(one, one[0], 0.01 * one, 1.0)
        return first._replace(eta=1 / first.smoothness())
