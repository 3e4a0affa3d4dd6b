r"""Wide networks are nearly linear in their weights.

With outer weights :math:`\pm1/\sqrt m` and a :math:`\beta`-smooth activation, a shallow network is
close to its linearisation :math:`f_0` at :math:`W_0`:

.. math:: |f(W) - f_0(W)| \le \frac{\beta}{2\sqrt m}\,\|W - W_0\|_F^2\,\|x\|^2 .

:math:`\beta` is :math:`4/(3\sqrt3)` for tanh, :math:`1/(6\sqrt3)` for the sigmoid and 1/4 for
softplus. ReLU has a kink, and no such constant: near it the error is of first order.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 2 c-d, (6.49).
:kind: bound
:uses: shallow_gradient, linearization_order
:covers: linearisation-error
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn.functional import softplus

from corollary.core import Along, Claim, Suppose, Sweep, at_most, normal, option
from corollary.theory.kernels.shallow import SMOOTHNESS, linearisation_bound, linearise


class Unit(NamedTuple):
    sigma: Callable[[Tensor], Tensor]
    beta: float  # largest second derivative
    bent: float  # where it is: there the bound is nearly attained
    odd: bool  # whether the curvature at -bent is the negative


class Given(NamedTuple):
    units: tuple[Unit, ...]
    x: Float[Tensor, " d"]  # an input
    signs: Float[Tensor, " m"]  # of the outer weights


def bend(unit: Unit, h: float = 1e-4) -> float:
    """The second difference where the activation bends most."""
    z = torch.tensor([unit.bent - h, unit.bent, unit.bent + h], dtype=torch.float64)
    return float(unit.sigma(z).diff(n=2).abs()) / h**2


class LinearisationError(Claim[Given]):
    m: int = option(100, low=1, high=100_000)  # hidden units
    d: int = option(5, low=1, high=1000)  # inputs
    distance: float = option(1.0, low=1e-3, high=10.0)  # Frobenius distance of the weights

    relation = at_most(ulps=2**20)  # differences of outputs of order 10, to 1e-10
    supposes = Suppose(
        "the second derivative of each activation is at most β",
        lambda g: min(u.beta + 1e-4 - bend(u) for u in g.units),
        "For ReLU units at their kink, the error is of first order.",
        units=lambda g: (Unit(torch.relu, SMOOTHNESS["softplus"], 0.0, False),) * 3,
    )
    symbols = "β ‖W − W₀‖² ‖x‖² / (2√m)", "|f(W) − f₀(W)|"
    rows = "tanh", "sigmoid", "softplus"
    shows = (
        Along("Error of the linearisation", x="activation", y="error"),
        Sweep("Wide networks are nearly linear (tanh)", "m", (10, 100, 1000, 10_000), log="xy"),
    )

    def given(self, rng: Generator) -> Given:
        x = normal(rng, self.d)
        units = (
            Unit(torch.tanh, SMOOTHNESS["tanh"], 0.6584789485, True),
            Unit(torch.sigmoid, SMOOTHNESS["sigmoid"], 1.3169578969, True),
            Unit(softplus, SMOOTHNESS["softplus"], 0.0, False),
        )
        return Given(units, x / x.norm(), normal(rng, self.m).sign())

    def predict(self, given: Given) -> list[float]:
        size = (len(given.signs), self.distance, float(given.x.norm()))
        return [linearisation_bound(unit.beta, *size) for unit in given.units]

    def measure(self, given: Given) -> list[float]:
        return [self.error(unit, given.x, given.signs) for unit in given.units]

    def error(self, unit: Unit, x: Tensor, signs: Tensor) -> float:
        """Every unit is moved along x; where the curvature has two signs, so have the weights."""
        turned = signs if unit.odd else signs.abs()
        w0 = unit.bent * turned[:, None] * x / x.square().sum()
        a, m = turned / len(signs) ** 0.5, len(signs)
        w = w0 + self.distance / m**0.5 * x / x.norm()
        return abs(float(unit.sigma(w @ x) @ a - linearise(w0, a, x, unit.sigma)(w)))
