r"""Energy along the gradient flow.

Along :math:`\dot x=-\nabla f(x)` the value falls by exactly what the gradient dissipates:

.. math:: \frac{d}{dt}f(x(t))=-\|\nabla f(x(t))\|^2,\qquad
   f(x(0))-f(x(t))=\int_0^t\|\nabla f(x(s))\|^2\,ds .

Gradient descent keeps this only up to :math:`O(\eta)`: its steps cut corners.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.2.
:kind: identity
:uses: chain_rule
:covers: gradient-flow
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import Function, hills
from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.gradient_flow import gradient_flow


class Given(NamedTuple):
    f: Function
    x0: Float[Tensor, " d"]
    T: float  # length of the interval
    eta: float  # learning rate, 0 for the flow itself


class FlowEnergy(Claim[Given]):
    d: int = 2  # dimension
    m: int = 4  # waves that are added up
    T: float = option(3.0, low=0.01, high=20.0)  # length of the interval

    relation = equals(ulps=2**24, scale=1.0)  # the solver keeps 1e-10 a step, some hundred steps
    supposes = Suppose(
        "x follows -grad f at all times, not in steps",
        lambda g: g.eta == 0,
        "Gradient descent with long steps does not follow the flow.",
        eta=lambda g: g.T / 24,
    )
    symbols = "f(x(0)) − f(x(t))", "∫‖∇f‖² up to t"
    shows = Along(
        "The decrease of f is the integral of the squared gradient",
        x="time in units of T/24",
        first=1,
    )

    def given(self, rng: Generator) -> Given:
        return Given(hills(self.m, self.d, rng).f, normal(rng, self.d), self.T, 0.0)

    def predict(self, given: Given) -> list[float]:
        f, _ = _path(given)
        return (f[0] - f[1:]).tolist()

    def measure(self, given: Given) -> list[float]:
        return _path(given)[1][1:].tolist()


def _path(given: Given) -> tuple[Tensor, Tensor]:
    """Values and dissipated energy at 25 times."""
    f, x0, T, eta = given
    if eta == 0:
        flow = gradient_flow(f, x0, T, times=25)
        return flow.f, flow.dissipated
    run = gradient_descent(f, x0, eta, round(T / eta))
    spent = eta * run.gradient_norm.square().cumsum(0)
    return run.f, torch.cat([spent.new_zeros(1), spent[:-1]])
