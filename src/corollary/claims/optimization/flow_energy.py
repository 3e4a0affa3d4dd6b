r"""Energy along the gradient flow.

Along :math:`\dot x=-\nabla f(x)` the value falls by exactly what the gradient dissipates:

.. math:: \frac{d}{dt}f(x(t))=-\|\nabla f(x(t))\|^2,\qquad
   f(x(0))-f(x(t))=\int_0^t\|\nabla f(x(s))\|^2\,ds .

Gradient descent keeps this only up to :math:`O(\eta)`: its steps cut corners.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.2.
:kind: identity
:cost: instant
:covers: gradient-flow
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.gradient_flow import gradient_flow
from corollary.theory.optimization.objectives import waves


class Given(NamedTuple):
    """A function, a start, and how the path is followed."""

    f: Callable[[Tensor], Tensor]
    x0: Float[Tensor, " d"]
    T: float
    eta: float  # 0 for the flow itself


class FlowEnergy(Claim[Given]):
    d: int = 2  # dimension
    m: int = 4  # waves that are added up
    T: float = option(3.0, low=0.01, high=20.0)  # length of the interval
    relation = equals(ulps=2**24, scale=1.0)  # the solver keeps 1e-10 a step, some hundred steps

    def given(self, rng: Generator) -> Given:
        """A sum of waves."""
        w = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64)
        b = 6.3 * torch.rand(self.m, generator=rng, dtype=torch.float64)
        f = waves(w, b, torch.ones(self.m, dtype=torch.float64)).f
        return Given(f, torch.randn(self.d, generator=rng, dtype=torch.float64), self.T, 0.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Continuous time."""
        yield Hypothesis("x follows -grad f at all times, not in steps", given.eta == 0)

    def predict(self, given: Given) -> list[float]:
        """The fall of f."""
        _, f, _ = _path(given)
        return (f[0] - f[1:]).tolist()

    def measure(self, given: Given) -> list[float]:
        """The dissipated energy."""
        return _path(given)[2][1:].tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Gradient descent with a long step."""
        return self.given(rng)._replace(eta=0.25)

    def figure(self, given: Given) -> Figure:
        """Value and energy add up."""
        t, f, spent = _path(given)
        return Figure(
            "What f loses, the gradient has spent",
            x="t",
            y="f",
            marks=(
                Curve(f[0] - f, t, "f(x(0)) − f(x(t))", "predicted"),
                Points(t, spent, label="∫‖∇f‖² up to t"),
                Curve(f, t, "f(x(t))", "other", dashed=True),
            ),
        )


def _path(given: Given) -> tuple[Tensor, Tensor, Tensor]:
    """Times, values and dissipated energy."""
    f, x0, T, eta = given
    if eta == 0:
        flow = gradient_flow(f, x0, T, times=25)
        return flow.t, flow.f, flow.dissipated
    run = gradient_descent(f, x0, eta, max(1, round(T / eta)))
    spent = eta * run.gradient_norm.square().cumsum(0)
    return eta * torch.arange(len(run.f)), run.f, torch.cat([spent.new_zeros(1), spent[:-1]])
