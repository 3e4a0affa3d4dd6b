r"""A ReLU bump approximates the indicator function of a box.

For a box :math:`R=\prod_j[a_j,b_j]` and :math:`\gamma>0` the network with two hidden layers and
4d + 1 ReLU units

.. math:: g(x)=\sigma\Bigl(\sum_jg_j(x_j)-(d-1)\Bigr),\qquad g_j\text{ a trapezoid of four units,}

is 1 on R, 0 off the box enlarged by :math:`\gamma`, in [0, 1] between, and

.. math:: \|g-\mathbb{1}_R\|_1\le\prod_j(b_j-a_j+2\gamma)-\prod_j(b_j-a_j)=O(\gamma).

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.2, Theorem 16 and (3.4); Telgarsky
    (2021), Deep learning theory lecture notes.
:kind: construction
:covers: relu-box-indicator
:erratum: [wrong] The proof calls the units threshold activations; the trapezoid needs ReLU, as the
    theorem says. With Heaviside units (the counterexample here) it vanishes inside the box: for
    a = 0.2, b = 0.4, z = 0.3 it is 1 - 1 - 0 + 0 = 0 and not 1.
:loose: The bound counts the whole ramp, but the error on a linear ramp is only half of it.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Sweep, Trial, at_most, option, uniform
from corollary.core.picture import HeatMap, Marks, picture
from corollary.models.approximators.relu_boxes import ReluBoxes, box_error_bound
from corollary.models.approximators.steps import step
from corollary.theory.approximation.distance import quadrature_between

Z = torch.linspace(-3, 3, 25, dtype=torch.float64)


class Given(NamedTuple):
    a: Float[Tensor, " d"]  # corner of a box
    b: Float[Tensor, " d"]  # opposite corner
    sigma: Callable[[Tensor], Tensor]  # activation of the units


class ReluBox(Claim[Given]):
    d: int = option(2, low=1, high=3)  # dimension
    gamma: float = option(0.05, low=1e-3, high=0.1)  # widest ramp

    relation = at_most(ulps=64)  # a quadrature that is exact on every piece up to rounding
    supposes = (
        Suppose(
            "the units are ReLUs",
            lambda g: torch.equal(g.sigma(Z), Z.relu()),
            "With threshold units instead of ReLUs, the trapezoid is 0 inside the box.",
            sigma=lambda g: step,
        ),
        Suppose("the box has a <= b", lambda g: bool((g.a <= g.b).all())),
    )
    symbols = "∏(b − a + 2γ) − ∏(b − a)", "‖g − 1_R‖₁"
    rows = ("γ", "γ/4", "γ/16")
    shows = Sweep(
        "The error is linear in the width γ of the ramps", "gamma", (0.002, 0.01, 0.05), log="xy"
    )

    def given(self, rng: Generator) -> Given:
        u = uniform(rng, 2, self.d)
        return Given(0.15 + 0.2 * u[0], 0.5 + 0.3 * u[1], torch.relu)

    def _ramps(self) -> tuple[float, ...]:
        return self.gamma, self.gamma / 4, self.gamma / 16

    def predict(self, given: Given) -> list[float]:
        return [box_error_bound(given.a, given.b, g) for g in self._ramps()]

    def measure(self, given: Given) -> list[float]:
        one, ends = given.a.new_ones(1), list(zip(given.a.tolist(), given.b.tolist(), strict=True))
        out = []
        for g in self._ramps():
            bump = ReluBoxes(given.a[None], given.b[None], one, g, sigma=given.sigma)
            x, w = quadrature_between([[0.0, a - g, a, b, b + g, 1.0] for a, b in ends], nodes=16)
            inside = ((x >= given.a) & (x <= given.b)).all(1).to(x.dtype)
            out.append(float((bump(x).detach() - inside).abs() @ w))
        return out

    def tight(self) -> Given:
        """An interval: a ramp that is linear loses half of itself."""
        a, b = torch.tensor([[0.25], [0.5]], dtype=torch.float64)
        return Given(a, b, torch.relu)

    @picture("A ReLU bump", x="x₁", y="x₂", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        if self.d != 2:
            return
        a, b, _ = trial.given
        bump = ReluBoxes(a[None], b[None], torch.ones(1).double(), self.gamma)
        axis = torch.linspace(0, 1, 60, dtype=torch.float64)
        values = bump(torch.cartesian_prod(axis, axis)).detach().reshape(60, 60)
        yield HeatMap(values.T, label="g")
