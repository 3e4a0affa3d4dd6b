r"""A ReLU bump on a box.

For a box :math:`R=\prod_j[a_j,b_j]` and :math:`\gamma>0` the network with two hidden layers and
4d + 1 ReLU units

.. math:: g(x)=\sigma\Bigl(\sum_jg_j(x_j)-(d-1)\Bigr),\qquad g_j\text{ a trapezoid of four units,}

is 1 on R, 0 off the box enlarged by :math:`\gamma`, in [0, 1] between, and

.. math:: \|g-\mathbb{1}_R\|_1\le\prod_j(b_j-a_j+2\gamma)-\prod_j(b_j-a_j)=O(\gamma).

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.2, Theorem 16 and (3.4); Telgarsky
    (2021), Deep learning theory lecture notes.
:kind: construction
:cost: instant
:covers: relu-box-indicator
:erratum: [wrong] The proof calls the units threshold activations; the trapezoid needs ReLU, as the
    theorem says. With Heaviside units (the counterexample here) it vanishes inside the box: for
    a = 0.2, b = 0.4, z = 0.3 it is 1 - 1 - 0 + 0 = 0 and not 1.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, HeatMap, Hypothesis, Points, at_most, option
from corollary.models.approximators.relu_boxes import ReluBoxes, box_error_bound
from corollary.models.approximators.steps import step
from corollary.theory.approximation.distance import quadrature_between
from corollary.theory.approximation.grids import box_grid


class Given(NamedTuple):
    """A box and the activation of the units."""

    a: Float[Tensor, " d"]
    b: Float[Tensor, " d"]
    sigma: Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class ReluBox(Claim[Given]):
    """The L1 error of the bump, for three widths of its ramp."""

    d: int = option(2, low=1, high=3)  # dimension
    gamma: float = option(0.05, low=1e-3, high=0.1)  # widest ramp
    relation = at_most(ulps=64)  # a quadrature that is exact on every piece up to rounding

    def given(self, rng: Generator) -> Given:
        """A drawn box, away from the faces of the unit cube."""
        u = torch.rand(2, self.d, generator=rng, dtype=torch.float64)
        return Given(0.15 + 0.2 * u[0], 0.5 + 0.3 * u[1], torch.relu)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The activation is the positive part, and the box is one."""
        z = torch.linspace(-3, 3, 25, dtype=torch.float64)
        yield Hypothesis("the units are ReLUs", torch.equal(given.sigma(z), torch.relu(z)))
        yield Hypothesis("the box has a <= b", bool((given.a <= given.b).all()))

    def predict(self, given: Given) -> list[float]:
        """Volume of the enlarged box less that of the box."""
        return [box_error_bound(given.a, given.b, g) for g in _ramps(self)]

    def measure(self, given: Given) -> list[float]:
        """The integral of the difference, with panels between all kinks."""
        return [_distance(given, g) for g in _ramps(self)]

    def counterexample(self, rng: Generator) -> Given:
        """Threshold units."""
        return self.given(rng)._replace(sigma=step)

    def figure(self, given: Given) -> tuple[Figure, ...]:
        """The error over the width of the ramp, and the bump."""
        ramps = [self.gamma / 2**i for i in range(6)][::-1]
        bounds = [box_error_bound(given.a, given.b, g) for g in ramps]
        error = Figure(
            "The error is linear in the ramp",
            x="γ",
            y="‖g − 1_R‖₁",
            log_x=True,
            log_y=True,
            marks=(
                Curve(bounds, ramps, label="volume of the ramp", role="predicted"),
                Points(ramps, [_distance(given, g) for g in ramps], label="bump"),
            ),
        )
        if self.d != 2:
            return (error,)
        values = _bump(given, self.gamma)(box_grid(2, 60)).detach().reshape(60, 60)
        picture = HeatMap(values.T, label="g")
        return error, Figure("A ReLU bump", x="x₁", y="x₂", equal=True, marks=(picture,))


def _ramps(claim: ReluBox) -> list[float]:
    return [claim.gamma, claim.gamma / 4, claim.gamma / 16]


def _bump(given: Given, gamma: float) -> ReluBoxes:
    one = given.a.new_ones(1)
    return ReluBoxes(given.a[None], given.b[None], one, gamma, sigma=given.sigma)


def _distance(given: Given, gamma: float) -> float:
    edges = [
        [0.0, a - gamma, a, b, b + gamma, 1.0]
        for a, b in zip(given.a.tolist(), given.b.tolist(), strict=True)
    ]
    x, w = quadrature_between(edges, nodes=16)
    inside = ((x >= given.a) & (x <= given.b)).all(1).to(x.dtype)
    return float((_bump(given, gamma)(x).detach() - inside).abs() @ w)
