r"""Ridge units learn inside the span of their inputs.

For a loss :math:`\ell` of a ridge unit the chain rule gives

.. math:: \nabla_\theta\,\ell(\varphi(x\cdot\theta))=(\ell\circ\varphi)'(x\cdot\theta)\,x ,

a multiple of the input: each gradient has cosine :math:`\pm1` with its point, and stochastic
gradient descent never leaves :math:`\theta_0+\operatorname{span}(x_1,\dots,x_n)`. The claim
measures the squared cosines, and the share of the way gone that lies outside the span. Weight
decay breaks it: the loss then sees :math:`\theta` itself.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.1; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Parameter Gradients.
:kind: identity
:cost: instant
:covers: ridge-parameter-gradient
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option


class Given(NamedTuple):
    """A regression problem for one unit."""

    x: Float[Tensor, "n d"]  # points
    y: Float[Tensor, " n"]  # targets
    theta: Float[Tensor, " d"]  # weights at the start
    decay: float  # weight decay; 0 leaves a loss of x·θ alone

    def losses(self, theta: Tensor) -> Tensor:
        """Loss of each point."""
        f = torch.tanh(self.x @ theta)
        return (f - self.y).square() + self.decay * theta.square().sum()


@dataclass(frozen=True)
class RidgeGradient(Claim[Given]):
    """Cosines of the gradients, and the way gone outside the span."""

    n: int = 10  # points
    d: int = option(30, low=2)  # dimension, more than points
    eta: float = option(0.1, low=1e-6, high=10.0)  # step size
    steps: int = 200  # of stochastic gradient descent, one point a step in turn
    relation = equals(ulps=4096, scale=1.0)  # rounding of steps of size 1, added up

    def given(self, rng: Generator) -> Given:
        """Gaussian points and targets in (-1, 1)."""

        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, device=rng.device, dtype=torch.float64)

        x, theta = normal(self.n, self.d) / self.d**0.5, normal(self.d)
        return Given(x, torch.tanh(normal(self.n)), theta, 0.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A loss of the output alone, and room outside the span."""
        yield Hypothesis("the loss sees θ only through x·θ (no weight decay)", given.decay == 0)
        n, d = given.x.shape
        yield Hypothesis("the points do not span the space", n < d, f"{n} points, dimension {d}")

    def predict(self, given: Given) -> list[float]:
        """Cosines of ±1, and nothing outside."""
        return [1.0] * len(given.x) + [0.0]

    def measure(self, given: Given) -> list[float]:
        """From autograd alone."""
        gradients = torch.func.jacrev(given.losses)(given.theta)
        cosines = torch.cosine_similarity(gradients, given.x, dim=1)
        way, outside = self._descent(given)
        return [*cosines.square().tolist(), outside[-1] / way[-1]]

    def counterexample(self, rng: Generator) -> Given:
        """Weight decay shrinks the part of the start that lies outside the span."""
        return self.given(rng)._replace(decay=0.1)

    def figure(self, given: Given) -> Figure:
        """The way gone, inside and outside of the span."""
        way, outside = self._descent(given)
        marks = (
            Curve(way, label="‖θ_t − θ_0‖", role="other"),
            Curve(outside, label="its part outside span(x_i)"),
            Level(0.0, label="outside, predicted"),
        )
        return Figure("Descent stays in the span", x="step t", y="distance", marks=marks)

    def _descent(self, given: Given) -> tuple[list[float], list[float]]:
        """Distance from the start after each step, and its part outside the span."""
        theta, path = given.theta.clone(), []
        for t in range(self.steps):
            theta.requires_grad_(True)
            (gradient,) = torch.autograd.grad(given.losses(theta)[t % len(given.x)], theta)
            theta = (theta - self.eta * gradient).detach()
            path.append(theta - given.theta)
        gone = torch.stack(path)
        basis = torch.linalg.qr(given.x.T).Q
        outside = gone - (gone @ basis) @ basis.T
        return gone.norm(dim=1).tolist(), outside.norm(dim=1).tolist()
