r"""Rate of change of a ridge function.

Where :math:`\varphi` is differentiable,

.. math:: \|\nabla_x\,\varphi(x\cdot\theta)\|=|\varphi'(x\cdot\theta)|\,\|\theta\| .

At a kink there is no gradient. ReLU at 0 shows it: with the threshold convention :math:`H(0)=1` as
slope the right-hand side is :math:`\|\theta\|`, while autograd, which chooses 0, returns 0.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.1; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Rate of Change.
:kind: identity
:cost: instant
:covers: ridge-rate-of-change
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional as F

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals
from corollary.models.threshold import Heaviside
from corollary.models.units import RidgeUnit
from corollary.theory.connectionism.ridge import slope_of
from corollary.theory.connectionism.sigmoid import sigmoid_derivative, tanh_derivative

ACTIVATIONS = {  # the function, and its slope in closed form
    "sigmoid": (torch.sigmoid, sigmoid_derivative),
    "tanh": (torch.tanh, tanh_derivative),
    "softplus": (F.softplus, torch.sigmoid),
    "relu": (torch.relu, Heaviside()),
}


class Given(NamedTuple):
    """A unit and points."""

    theta: Float[Tensor, " n"]  # weights of the unit
    x: Float[Tensor, "k n"]  # points
    phi: str  # activation


@dataclass(frozen=True)
class RidgeRateOfChange(Claim[Given]):
    """Slope of the activation, times the length of the weights."""

    n: int = 10  # dimension
    k: int = 80  # points
    phi: Literal["sigmoid", "tanh", "softplus", "relu"] = "tanh"  # activation
    relation = equals(ulps=1024, scale=1.0)  # 1 - tanh² cancels where tanh is near 1

    def given(self, rng: Generator) -> Given:
        """Random weights and points."""

        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, device=rng.device, dtype=torch.float64)

        return Given(normal(self.n), normal(self.k, self.n), self.phi)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No point may sit at a kink."""
        slopes = slope_of(ACTIVATIONS[given.phi][0], given.x @ given.theta)
        yield Hypothesis("φ is differentiable at every x·θ", not slopes.isnan().any())

    def predict(self, given: Given) -> list[float]:
        """From the closed form of the slope."""
        slope = ACTIVATIONS[given.phi][1](given.x @ given.theta)
        return (slope.abs() * given.theta.norm()).tolist()

    def measure(self, given: Given) -> list[float]:
        """Length of the gradient that autograd finds in the n inputs."""
        x = given.x.clone().requires_grad_(True)
        f = RidgeUnit.of(ACTIVATIONS[given.phi][0], given.theta)(x)
        (gradient,) = torch.autograd.grad(f.sum(), x)
        return gradient.norm(dim=1).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """ReLU with the first point at its kink."""
        given = self.given(rng)
        x = given.x.clone()
        x[0] = 0.0
        return given._replace(x=x, phi="relu")

    def figure(self, given: Given) -> Figure:
        """The rate along the one coordinate that matters."""
        z = given.x @ given.theta
        line = torch.linspace(float(z.min()), float(z.max()), 201, dtype=torch.float64)
        law = ACTIVATIONS[given.phi][1](line).abs() * given.theta.norm()
        marks = (
            Curve(law, x=line, label="|φ'(x·θ)| ‖θ‖", role="predicted"),
            Points(z, self.measure(given), label="‖∇f(x)‖ by autograd"),
        )
        return Figure(f"Rate of change, φ = {given.phi}", x="x·θ", y="‖∇f(x)‖", marks=marks)
