r"""The gradient of a shallow network.

For :math:`f(W) = \sum_j a_j\sigma(w_j^\top x)` with fixed outer weights and a differentiable
:math:`\sigma`,

.. math:: \nabla f(W) = D\,a\,x^\top, \quad D = \mathrm{diag}\,\sigma'(w_j^\top x), \qquad
          \langle\nabla f(W_0), V\rangle_F = \sum_j a_j\sigma'(w_{0,j}^\top x)\,v_j^\top x,

which is the slope of f along V. At a kink the slope depends on the side one leaves to.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 2 a-b.
:kind: identity
:cost: instant
:covers: shallow-net-gradient
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, equals, option
from corollary.theory.kernels.shallow import shallow_gradient

SIGMAS = {"tanh": torch.tanh, "relu": torch.relu}


class Given(NamedTuple):
    """A network, an input, and directions."""

    sigma: str
    w: Float[Tensor, "m d"]
    a: Float[Tensor, " m"]
    x: Float[Tensor, " d"]
    v: Float[Tensor, "k m d"]


class ShallowGradient(Claim[Given]):
    m: int = option(8, low=1, high=1000)  # hidden units
    d: int = option(5, low=1, high=1000)  # inputs
    directions: int = option(4, low=1, high=100)  # along which the slope is taken
    relation = equals(ulps=2**24, scale=1.0)  # difference quotients lose half of the digits

    def given(self, rng: Generator) -> Given:
        """Gaussian weights and input, tanh."""
        w, a, x, v = (
            torch.randn(*shape, generator=rng, dtype=torch.float64)
            for shape in ((self.m, self.d), (self.m,), (self.d,), (self.directions, self.m, self.d))
        )
        return Given("tanh", w, a / self.m**0.5, x / self.d**0.5, v)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Differentiability where the units are."""
        z = given.w @ given.x
        smooth = given.sigma != "relu" or bool((z.abs() > 1e-6).all())
        yield Hypothesis("the activation is differentiable at every unit's input", smooth)

    def predict(self, given: Given) -> list[float]:
        """Inner products with the gradient."""
        slope = shallow_gradient(given.w, given.a, given.x, SIGMAS[given.sigma])
        return (slope * given.v).sum((1, 2)).tolist()

    def measure(self, given: Given) -> list[float]:
        """Forward differences, extrapolated twice."""
        coarse, middle, fine = (_quotient(given, h) for h in (4e-4, 2e-4, 1e-4))
        first, second = 2 * middle - coarse, 2 * fine - middle
        return ((4 * second - first) / 3).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """ReLU units that all sit at their kink."""
        given = self.given(rng)
        return given._replace(sigma="relu", w=torch.zeros_like(given.w))

    def figure(self, given: Given) -> Figure:
        """The network along the first direction, and its tangent."""
        t = torch.linspace(-1, 1, 81, dtype=torch.float64)
        values = _values(given, given.w + t[:, None, None] * given.v[0])
        tangent = values[40] + t * self.predict(given)[0]
        return Figure(
            "A shallow network and its tangent",
            x="t",
            y="f(W + tV)",
            marks=(
                Curve(tangent.tolist(), x=t.tolist(), label="f(W) + t⟨∇f(W), V⟩", role="predicted"),
                Curve(values.tolist(), x=t.tolist(), label="f(W + tV)", role="measured"),
            ),
        )


def _values(given: Given, w: Float[Tensor, "k m d"]) -> Float[Tensor, " k"]:
    return SIGMAS[given.sigma](w @ given.x) @ given.a


def _quotient(given: Given, h: float) -> Float[Tensor, " k"]:
    moved = _values(given, given.w + h * given.v)
    return (moved - _values(given, given.w[None])) / h
