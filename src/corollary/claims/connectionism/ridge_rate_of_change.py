r"""Rate of change of a ridge function.

Where :math:`\varphi` is differentiable,

.. math:: \|\nabla_x\,\varphi(x\cdot\theta)\|=|\varphi'(x\cdot\theta)|\,\|\theta\| .

At a kink there is no gradient. ReLU at 0 shows it: with the threshold convention :math:`H(0)=1` as
slope the right-hand side is :math:`\|\theta\|`, while autograd, which chooses 0, returns 0.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.1; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Rate of Change.
:kind: identity
:uses: chain_rule, cauchy_schwarz
:covers: ridge-rate-of-change
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional as F

from corollary.core import Along, Claim, Suppose, equals, normal
from corollary.models.threshold import Heaviside
from corollary.models.units import RidgeUnit
from corollary.theory.connectionism.ridge import slope_of
from corollary.theory.connectionism.sigmoid import sigmoid_derivative, tanh_derivative

Map = Callable[[Tensor], Tensor]


def activation(name: str) -> tuple[Map, Map]:
    """The function, and its slope in closed form."""
    known: dict[str, tuple[Map, Map]] = {
        "sigmoid": (torch.sigmoid, sigmoid_derivative),
        "tanh": (torch.tanh, tanh_derivative),
        "softplus": (F.softplus, torch.sigmoid),
        "relu": (torch.relu, Heaviside()),
    }
    return known[name]


class Given(NamedTuple):
    theta: Float[Tensor, " n"]  # weights of the unit
    x: Float[Tensor, "k n"]  # points
    phi: Map  # activation
    slope: Map  # its derivative in closed form

    @property
    def z(self) -> Tensor:
        """What the activation reads."""
        return self.x @ self.theta


def at_a_kink(given: Given) -> Given:
    """At the kink of ReLU, the closed form gives slope 1 and autograd gives slope 0."""
    x = given.x.clone()
    x[0] = 0.0
    return Given(given.theta, x, *activation("relu"))


class RidgeRateOfChange(Claim[Given]):
    n: int = 10  # dimension
    k: int = 80  # points
    phi: Literal["sigmoid", "tanh", "softplus", "relu"] = "tanh"  # activation

    relation = equals(ulps=1024, scale=1.0)  # 1 - tanh² cancels where tanh is near 1
    supposes = Suppose(
        "φ is differentiable at every x·θ",
        lambda g: not slope_of(g.phi, g.z).isnan().any(),
        without=at_a_kink,
    )
    symbols = "|φ'(x·θ)| ‖θ‖", "‖∇f(x)‖ by autograd"
    shows = Along("Rate of change", x="x·θ", y="‖∇f(x)‖", at="z", without=False)

    def given(self, rng: Generator) -> Given:
        theta, x = normal(rng, self.n), normal(rng, self.k, self.n)
        return Given(theta, x[(x @ theta).argsort()], *activation(self.phi))

    def predict(self, given: Given) -> Tensor:
        return given.slope(given.z).abs() * float(given.theta.norm())

    def measure(self, given: Given) -> Tensor:
        x = given.x.clone().requires_grad_(True)
        (gradient,) = torch.autograd.grad(RidgeUnit.of(given.phi, given.theta)(x).sum(), x)
        length: Tensor = gradient.square().sum(dim=1).sqrt()
        return length
