r"""Gradients of the three-layer network by hand.

For :math:`f=\sum_j\beta_j\sigma(w_j\cdot x)` and :math:`L=\frac12(f-y)^2`

.. math:: \frac{\partial L}{\partial\beta_j}=\frac{f-y}{1+e^{-w_j\cdot x}},\qquad
   \frac{\partial L}{\partial w_{ji}}=
   \frac{(f-y)\,\beta_jx_i}{(1+e^{-w_j\cdot x})(1+e^{w_j\cdot x})}.

The second denominator is :math:`1/\sigma'`, so the formula belongs to the logistic function: units
of another steepness have other gradients.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.5.2; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, MLP: Learning.
:kind: identity
:cost: instant
:covers: three-layer-mlp, mlp3-gradients
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals


class Given(NamedTuple):
    """A network, a point and its target."""

    beta: Float[Tensor, " m"]
    w: Float[Tensor, "m n"]
    x: Float[Tensor, " n"]
    y: float
    c: float  # steepness of the hidden units; 1 is the logistic function

    def loss(self, beta: Tensor, w: Tensor) -> Tensor:
        """Half the squared error."""
        return 0.5 * (torch.sigmoid(self.c * (w @ self.x)) @ beta - self.y) ** 2


class MLP3Gradients(Claim[Given]):
    n: int = 6  # inputs
    m: int = 10  # hidden units
    relation = equals(ulps=512, scale=0.01)  # f - y may cancel

    def given(self, rng: Generator) -> Given:
        """Gaussian weights, point and target."""

        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, dtype=torch.float64, device=rng.device)

        return Given(normal(self.m), normal(self.m, self.n), normal(self.n), float(normal(1)), 1.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The logistic function."""
        z = torch.linspace(-3, 3, 13).to(given.x).requires_grad_(True)
        s = torch.sigmoid(given.c * z)
        (slope,) = torch.autograd.grad(s.sum(), z)
        off = float((slope - s * (1 - s)).detach().abs().max())
        yield Hypothesis("the hidden units are logistic", off < 1e-12, f"slope off by {off:.1e}")

    def predict(self, given: Given) -> list[float]:
        """The formulas."""
        u = given.w @ given.x
        error = torch.sigmoid(given.c * u) @ given.beta - given.y
        by_beta = error / (1 + torch.exp(-u))
        slope = 1 / ((1 + torch.exp(-u)) * (1 + torch.exp(u)))
        by_w = error * (given.beta * slope)[:, None] * given.x
        return torch.cat([by_beta, by_w.flatten()]).tolist()

    def measure(self, given: Given) -> list[float]:
        """Autograd."""
        beta, w = (p.clone().requires_grad_(True) for p in (given.beta, given.w))
        by_beta, by_w = torch.autograd.grad(given.loss(beta, w), (beta, w))
        return torch.cat([by_beta, by_w.flatten()]).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Hidden units twice as steep."""
        return self.given(rng)._replace(c=2.0)

    def figure(self, given: Given) -> Figure:
        """Entry by entry."""
        p, m = self.predict(given), self.measure(given)
        ends = [min(p), max(p)]
        marks = (
            Curve(ends, x=ends, label="equality", role="predicted"),
            Points(p[: self.m], m[: self.m], label="∂L/∂β"),
            Points(p[self.m :], m[self.m :], label="∂L/∂w", role="other"),
        )
        return Figure("Derivatives by hand", x="formula", y="autograd", marks=marks)
