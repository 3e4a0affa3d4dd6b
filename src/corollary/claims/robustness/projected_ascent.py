r"""Projected gradient ascent never goes down.

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
:cost: instant
:covers: pgd-attack
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_least, option
from corollary.theory.robustness.attack import outputs
from corollary.theory.robustness.balls import Norm, size
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.theory.robustness.scores import losses


class Given(NamedTuple):
    """The weights of a network with one hidden layer, one input, and a step size."""

    W: Float[Tensor, "m d"]
    a: Float[Tensor, " m"]
    x: Float[Tensor, "1 d"]
    eta: float

    def score(self, x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
        """The network."""
        return (x @ self.W.T).tanh() @ self.a

    def smoothness(self) -> float:
        """A Lipschitz constant of the gradient of the loss in the input."""
        bend = 4 / (3 * 3**0.5) * self.a.abs().max() + self.a.square().sum() / 4
        return float(torch.linalg.matrix_norm(self.W, 2) ** 2 * bend)


class Path(NamedTuple):
    """Losses along the iterates, and the lengths of the steps."""

    losses: list[float]
    moves: list[float]
    sizes: list[float]


class ProjectedAscent(Claim[Given]):
    d: int = option(20, low=2, high=200)  # dimension
    m: int = option(30, low=2, high=500)  # hidden units
    eps: float = option(1.0, low=0.01, high=10.0)  # size of perturbations
    norm: Norm = "l2"  # of perturbations: linf, l2 or l1
    steps: int = option(12, low=4, high=40)  # of the ascent
    relation = at_least(ulps=64, scale=1.0)  # gains are differences of losses of size 1

    def given(self, rng: Generator) -> Given:
        """Normal weights; eta = 1/L."""
        W = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64) / self.d**0.5
        a = torch.randn(self.m, generator=rng, dtype=torch.float64) / self.m**0.5
        x = torch.randn(1, self.d, generator=rng, dtype=torch.float64)
        first = Given(W, a, x, 1.0)
        return first._replace(eta=1 / first.smoothness())

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The step size."""
        product = given.eta * given.smoothness()
        yield Hypothesis(
            "the step size is at most 1/L", product <= 1 + 1e-12, f"ηL = {product:.3g}"
        )

    def predict(self, given: Given) -> list[float]:
        """Squared step lengths over 2 eta."""
        return [move**2 / (2 * given.eta) for move in self._path(given).moves]

    def measure(self, given: Given) -> list[float]:
        """Gains of the loss."""
        loss = self._path(given).losses
        return [b - a for a, b in zip(loss, loss[1:], strict=False)]

    def counterexample(self, rng: Generator) -> Given:
        """Steps a few hundred times too long on a steep network: the loss goes up and down."""
        given = self.given(rng)
        steep = given._replace(W=8 * given.W)
        return steep._replace(eta=400 / steep.smoothness())

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The loss along the way, for steps within and beyond the theorem; and the sizes."""
        path = self._path(given)
        beyond = given._replace(W=8 * given.W)
        wild = self._path(beyond._replace(eta=400 / beyond.smoothness()))
        rise = Figure(
            "Short steps never lower the loss, long ones do",
            x="step t",
            y="ℓ(f(x+δ), y)",
            marks=(
                Curve(path.losses, label="η = 1/L"),
                Curve(wild.losses, label="steep network, η = 400/L", role="other"),
            ),
        )
        found = self.measure(given)
        steps = list(range(1, len(found) + 1))
        gain = Figure(
            "What each step gains",
            x="step t",
            y="ℓ(t+1) − ℓ(t)",
            log_y=True,
            marks=(
                Curve([max(p, 1e-18) for p in self.predict(given)], steps,
                      label="‖δ(t+1)−δ(t)‖²/2η", role="predicted"),
                Points(steps, [max(g, 1e-18) for g in found], label="gain"),
            ),
        )  # fmt: skip
        return rise, gain

    def _path(self, given: Given) -> Path:
        """Iterates for t = 0, 1, ..., each as the end of a run of t steps."""
        y = torch.where(given.score(given.x) >= 0, 1.0, -1.0).double()
        points = [given.x]
        for t in range(1, self.steps + 1):
            attack = PGD(
                self.eps, alpha=given.eta, steps=t, norm=self.norm, start="zero", box=None,
                keep="last", step="gradient",
            )  # fmt: skip
            points.append(attack.inputs(given.score, given.x, y))
        values = [float(losses(outputs(given.score, p), y)) for p in points]
        moves = [float((b - a).norm()) for a, b in zip(points, points[1:], strict=False)]
        return Path(values, moves, [float(size(p - given.x, self.norm)) for p in points])
