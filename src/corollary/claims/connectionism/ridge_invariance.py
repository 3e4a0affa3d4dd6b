r"""Ridge functions are constant across their direction.

For :math:`f(x)=\varphi(x\cdot\theta)` and any displacement orthogonal to :math:`\theta`,

.. math:: f(x+\Delta x)=f(x)\qquad\text{whenever } \Delta x\cdot\theta=0 ,

however large :math:`\Delta x` is and whatever :math:`\varphi` is.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.1; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Ridge functions.
:kind: identity
:covers: ridge-unit
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional as F

from corollary.core import Claim, Parity, Suppose, Trial, equals, near, normal, option
from corollary.core.picture import HeatMap, Marks, picture
from corollary.models.units import RidgeUnit

PHI: dict[str, Callable[[Tensor], Tensor]] = {
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "softplus": F.softplus,
    "relu": torch.relu,
    "cosine": torch.cos,
}


class Given(NamedTuple):
    theta: Float[Tensor, " n"]  # weights of the unit
    x: Float[Tensor, "k n"]  # points
    dx: Float[Tensor, "k n"]  # displacements


class RidgeInvariance(Claim[Given]):
    n: int = option(8, low=2)  # dimension
    k: int = 60  # points
    phi: Literal["sigmoid", "tanh", "softplus", "relu", "cosine"] = "cosine"  # activation
    reach: float = option(5.0, low=0.0, high=1e3)  # length of the displacements

    relation = equals(ulps=4096, scale=1.0)  # x·θ is a sum of n terms of size up to reach ‖θ‖
    supposes = Suppose(
        "every Δx is orthogonal to θ",
        lambda self, g: near(g.dx @ g.theta / g.theta.norm(), 0.0, 1e-13 * (1 + self.reach)),
        "Displacements along the weights change the value.",
        dx=lambda g: g.theta.expand_as(g.dx).clone(),
    )
    symbols = "f(x)", "f(x + Δx)"
    shows = Parity("Values before and after the displacement")

    def given(self, rng: Generator) -> Given:
        theta, x, dx = (normal(rng, *s) for s in ((self.n,), (self.k, self.n), (self.k, self.n)))
        u = theta / theta.norm()
        dx = dx - (dx @ u)[:, None] * u
        dx = dx - (dx @ u)[:, None] * u  # once more: the first pass leaves rounding
        return Given(theta, x, self.reach * dx / dx.norm(dim=1, keepdim=True).clamp(min=1e-300))

    def predict(self, given: Given) -> Tensor:
        return PHI[self.phi](given.x @ given.theta)

    def measure(self, given: Given) -> Tensor:
        output: Tensor = RidgeUnit.of(PHI[self.phi], given.theta)(given.x + given.dx)
        return output.detach()

    @picture("A ridge function", x="along θ", y="along Δx", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        theta, _, dx = trial.given
        u, v = theta / theta.norm(), dx[0] / dx[0].norm().clamp(min=1e-300)
        r = max(2.0, self.reach)
        t = torch.linspace(-r, r, 161).to(u)
        plane = RidgeUnit.of(PHI[self.phi], theta)(t[None, :, None] * u + t[:, None, None] * v)
        yield HeatMap(plane.detach(), x=(-r, r), y=(-r, r), label="f")
