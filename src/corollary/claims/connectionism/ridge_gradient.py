r"""Gradient descent keeps the weights of a ridge unit within the span of its inputs.

For a loss :math:`\ell` of a ridge unit the chain rule gives

.. math:: \nabla_\theta\,\ell(\varphi(x\cdot\theta))=(\ell\circ\varphi)'(x\cdot\theta)\,x ,

a multiple of the input, so stochastic gradient descent never leaves
:math:`\theta_0+\operatorname{span}(x_1,\dots,x_n)`. Measured are the gradients of all points by
automatic differentiation in :math:`\theta`, and the share of the way gone that lies outside the
span. Weight decay breaks it: the loss then sees :math:`\theta` itself.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.1; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Parameter Gradients.
:kind: identity
:uses: chain_rule
:covers: ridge-parameter-gradient
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, near, normal, option
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.theory.connectionism.ridge import parameter_gradient


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # points
    y: Float[Tensor, " n"]  # targets
    theta: Float[Tensor, " d"]  # weights at the start
    decay: float = 0.0  # weight decay; 0 leaves a loss of x·θ alone
    way: Callable[[Tensor], Tensor] = torch.Tensor.clone  # of a step, from the gradient

    def losses(self, theta: Tensor) -> Tensor:
        """Loss of each point."""
        f = torch.tanh(self.x @ theta)
        return (f - self.y).square() + self.decay * theta.square().sum()

    def outside(self, v: Float[Tensor, "... d"]) -> Float[Tensor, "... d"]:
        """The part of v that is orthogonal to all points."""
        basis: Tensor = torch.linalg.qr(self.x.T).Q
        return v - (v @ basis) @ basis.T


class RidgeGradient(Claim[Given]):
    n: int = 10  # points
    d: int = option(30, low=2)  # dimension, more than points
    eta: float = option(0.1, low=1e-6, high=10.0)  # learning rate
    steps: int = 200  # steps of stochastic gradient descent, one point per step in turn

    relation = equals(ulps=4096, scale=1.0)  # rounding of steps of size 1, added up
    supposes = (
        Suppose("the points do not span the space", lambda g: g.x.shape[1] - g.x.shape[0]),
        Suppose(
            "the loss depends on θ only through x·θ",
            lambda g: near(g.losses(g.theta - g.outside(g.theta)), g.losses(g.theta)),
            "Weight decay shrinks the part of the start that lies outside the span.",
            decay=0.1,
        ),
        Suppose(
            "each step goes along the gradient",
            lambda g: near(g.way(g.theta), g.theta),
            "Steps by the signs of the gradient leave the span.",
            way=lambda g: torch.sign,
        ),
    )
    symbols = "(ℓ∘φ)′(x·θ) x, and 0", "by autograd in θ, and distance moved outside the span"

    def given(self, rng: Generator) -> Given:
        x, theta = normal(rng, self.n, self.d) / self.d**0.5, normal(rng, self.d)
        return Given(x, torch.tanh(normal(rng, self.n)), theta)

    def predict(self, given: Given) -> Tensor:
        loss = lambda f: (f - given.y).square()  # noqa: E731
        along = parameter_gradient(torch.tanh, given.x, given.theta, loss)
        return torch.cat([along.flatten(), torch.zeros(1)])

    def measure(self, given: Given) -> Kept:
        gradients = torch.func.jacrev(given.losses)(given.theta)
        theta, path = given.theta, []
        for t in range(self.steps):
            theta = theta.detach().requires_grad_(True)
            (gradient,) = torch.autograd.grad(given.losses(theta)[t % len(given.x)], theta)
            theta = (theta - self.eta * given.way(gradient)).detach()
            path.append(theta - given.theta)
        gone = torch.stack(path)
        way, outside = gone.norm(dim=1), given.outside(gone).norm(dim=1)
        found = torch.cat([gradients.flatten(), outside[-1:] / way[-1:]])
        return Kept(found, way=way, outside=outside)

    @picture("Descent stays in the span", x="step t", y="distance")
    def marks(self, trial: Trial[Given]) -> Marks:
        yield Level(0.0, label="outside span(x_i), predicted")
        yield Curve(trial.kept.way, label="‖θ_t − θ_0‖", role="other")
        yield Curve(trial.kept.outside, label="part of θ outside span(x_i)")
        for t, why in zip(trial.without, ("with weight decay", "by signs"), strict=False):
            yield Curve(t.kept.outside, label=f"outside, {why}", role="other", dashed=True)
