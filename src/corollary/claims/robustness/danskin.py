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
:covers: danskin-theorem
:erratum: [missing hypothesis] (12.15) is stated without uniqueness of the maximiser. Where a weight
    is zero two signs of its perturbation are equally bad, the two candidate gradients differ, and g
    has a kink: the counterexample here, as |w| = max(w, -w) has at 0.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.theory.robustness.danskin import Danskin, cube_vertices, danskin_gradient
from corollary.theory.robustness.linear import worst_logistic_loss


class Given(NamedTuple):
    w: Float[Tensor, " d"]  # weights
    x: Float[Tensor, " d"]  # a point labelled +1
    v: Float[Tensor, "k d"]  # directions


class DanskinTheorem(Claim[Given]):
    d: int = option(4, low=1, high=10)  # dimension; the ball has 2^d corners
    k: int = option(6, low=1, high=50)  # directions
    eps: float = option(0.3, low=0.01, high=2.0)  # size of perturbations

    relation = equals(ulps=2**28, scale=0.1)  # quotients of second order with steps of 1e-5
    supposes = Suppose(
        "the maximiser is unique",
        lambda self, g: (len(self.at(g).maximisers) == 1, f"{len(self.at(g).maximisers)}"),
        "If a weight is 0, both signs of its perturbation are worst, and g has a kink.",
        w=lambda g: torch.cat([torch.zeros(1, dtype=torch.float64), g.w[1:]]),
        v=lambda g: torch.cat([g.v, -g.v]),
    )
    symbols = "⟨∇ℓ(w, δ*), v⟩", "difference quotient of g along v"
    shows = Parity("The gradient of a maximum is that at the maximiser")

    def given(self, rng: Generator) -> Given:
        w = normal(rng, self.d)
        return Given(w + 0.5 * w.sign(), normal(rng, self.d), normal(rng, self.k, self.d))

    def at(self, given: Given) -> Danskin:
        """The corners that are worst, with their gradients."""

        def loss(w: Tensor, delta: Tensor) -> Tensor:
            return torch.nn.functional.softplus(-(w @ (given.x + delta)))

        return danskin_gradient(loss, given.w, cube_vertices(self.d, self.eps))

    def predict(self, given: Given) -> Tensor:
        return given.v @ self.at(given).gradients[0]

    def measure(self, given: Given) -> list[float]:
        def g(w: Tensor) -> float:
            return float(worst_logistic_loss(w, given.x[None], w.new_ones(1), self.eps))

        h, w = 1e-5, given.w
        return [(4 * g(w + h * v) - g(w + 2 * h * v) - 3 * g(w)) / (2 * h) for v in given.v]

    @picture("The adversarial loss, with a kink where w₁ = 0", x="w₁", y="g(w)")
    def kink(self, trial: Trial[Given]) -> Marks:
        w, x, _ = trial.given
        t = torch.linspace(-1.5, 1.5, 61, dtype=torch.float64)
        along = [torch.cat([s[None], w[1:]]) for s in t]
        losses = [worst_logistic_loss(v, x[None], v.new_ones(1), self.eps) for v in along]
        yield Curve(torch.stack(losses).flatten(), t, "max over δ of ℓ(w, δ)")
        yield Level(float(w[0]), label="w₁ of the drawn w", role="other", axis="x")
