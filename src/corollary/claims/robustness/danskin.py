r"""Danskin's theorem.

For compact :math:`\Delta`, with :math:`\ell` and :math:`\nabla_w\ell` continuous in
:math:`(w,\delta)`, the maximum :math:`g(w)=\max_{\delta\in\Delta}\ell(w,\delta)` is differentiable
wherever its maximiser :math:`\delta^*` is unique, with

.. math:: \nabla g(w)=\nabla_w\ell(w,\delta^*),\qquad
   g'(w;v)=\max_{\delta\in\Delta^*(w)}\langle\nabla_w\ell(w,\delta),v\rangle\ \text{ in general.}

That is why adversarial training may differentiate the loss at the attacked input as if the
perturbation were fixed. Measured: one-sided difference quotients of the adversarial logistic loss
of a linear model along several directions; predicted: the gradient at one maximiser.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.4, Equation 12.15; Danskin (1966),
    "The theory of max-min, with applications".
:kind: theorem
:cost: instant
:covers: danskin-theorem
:erratum: [missing hypothesis] (12.15) is stated without uniqueness of the maximiser. Where a weight
    is zero two signs of its perturbation are equally bad, the two candidate gradients differ, and g
    has a kink: the counterexample here, and |w| at 0 in the figure.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.robustness.danskin import Danskin, cube_vertices, danskin_gradient
from corollary.theory.robustness.linear import worst_logistic_loss


class Given(NamedTuple):
    """Weights, a point labelled +1, and directions."""

    w: Float[Tensor, " d"]
    x: Float[Tensor, " d"]
    v: Float[Tensor, "k d"]


class DanskinTheorem(Claim[Given]):
    d: int = option(4, low=1, high=10)  # dimension; the ball has 2^d corners
    k: int = option(6, low=1, high=50)  # directions
    eps: float = option(0.3, low=0.01, high=2.0)  # size of perturbations
    relation = equals(ulps=2**28, scale=0.1)  # quotients of second order with steps of 1e-5

    def given(self, rng: Generator) -> Given:
        """Weights away from zero."""
        normal = torch.randn(self.k + 2, self.d, generator=rng, dtype=torch.float64)
        return Given(normal[0] + 0.5 * normal[0].sign(), normal[1], normal[2:])

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Uniqueness."""
        found = self._at(given).maximisers
        yield Hypothesis("the maximiser is unique", len(found) == 1, f"{len(found)} corners")

    def predict(self, given: Given) -> list[float]:
        """The gradient at the first maximiser, along each direction."""
        return (given.v @ self._at(given).gradients[0]).tolist()

    def measure(self, given: Given) -> list[float]:
        """Difference quotients of g, from its closed form."""
        h = 1e-5
        ahead = [[_g(given, given.w + s * h * v, self.eps) for s in (1, 2)] for v in given.v]
        here = _g(given, given.w, self.eps)
        return [(4 * a - b - 3 * here) / (2 * h) for a, b in ahead]

    def counterexample(self, rng: Generator) -> Given:
        """A weight that is zero: both signs of its perturbation are worst."""
        given = self.given(rng)
        given.w[0] = 0.0
        return given._replace(v=torch.cat([given.v, -given.v]))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The adversarial loss along one weight, with a tangent; and the maximum of two lines."""
        grid = torch.linspace(-1.5, 1.5, 61, dtype=torch.float64)
        axis = torch.zeros(self.d, dtype=torch.float64)
        axis[0] = 1.0
        base = given.w - given.w[0] * axis
        values = [_g(given, base + t * axis, self.eps) for t in grid]
        slope = float(self._at(given).gradients[0][0])
        tangent = _g(given, given.w, self.eps) + slope * (grid - given.w[0])
        loss = Figure(
            "The adversarial loss, with a kink where w₁ = 0",
            x="w₁",
            y="g(w)",
            marks=(
                Curve(values, grid, label="max over δ of ℓ(w, δ)"),
                Curve(tangent, grid, label="slope ∂ℓ/∂w₁ at δ*", role="predicted", dashed=True),
                Points([float(given.w[0])], [_g(given, given.w, self.eps)], label="w"),
            ),
        )
        lines = Figure(
            "|w| = max ±w: at 0 the slopes +1 and −1 disagree",
            x="w",
            y="max δw",
            marks=(
                Curve(grid.abs(), grid, label="|w|"),
                Curve(grid, grid, label="δ = +1", role="other", dashed=True),
                Curve(-grid, grid, label="δ = −1", role="other", dashed=True),
            ),
        )
        return loss, lines

    def _at(self, given: Given) -> Danskin:
        def loss(w: Tensor, delta: Tensor) -> Tensor:
            return torch.nn.functional.softplus(-(w @ (given.x + delta)))

        return danskin_gradient(loss, given.w, cube_vertices(self.d, self.eps))


def _g(given: Given, w: Tensor, eps: float) -> float:
    one = torch.ones(1, dtype=torch.float64)
    return float(worst_logistic_loss(w, given.x[None], one, eps))
