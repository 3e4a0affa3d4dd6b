r"""Distance to the decision boundary of a linear classifier.

For :math:`f(x)=\langle w,x\rangle+b` the nearest point with :math:`f=0` lies at distance

.. math:: \frac{|f(x)|}{\|w\|_2}\ (\ell_2),\qquad\frac{|f(x)|}{\|w\|_1}\ (\ell_\infty),\qquad
   \frac{|f(x)|}{\|w\|_\infty}\ (\ell_1),

and :math:`x-\eta f(x)w` has the value :math:`f(x)(1-\eta\|w\|^2)`: twice the :math:`\ell_2`
distance maps f to -f. Measured: the smallest radius at which the strongest attack on the ball
changes the sign, by bisection.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3, Equation 12.9; Moosavi-Dezfooli,
    Fawzi and Frossard (2016), "DeepFool".
:kind: identity
:uses: cauchy_schwarz
:covers: linear-flip-distance
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.models.mlp import MLP
from corollary.theory.robustness.balls import Norm, steepest
from corollary.theory.robustness.flip import flip_distance

NORMS: tuple[Norm, ...] = ("l2", "linf", "l1")


class Given(NamedTuple):
    model: nn.Module
    x: Float[Tensor, "1 d"]

    @property
    def y(self) -> Tensor:
        """The label that the score gives."""
        return torch.where(self.model(self.x)[:, 0] >= 0, 1.0, -1.0).double()


def _bend(given: Given) -> float:
    ends = given.model(given.x + 1) + given.model(given.x - 1) - 2 * given.model(given.x)
    return 1e-9 - float(ends.abs().max())


class LinearFlip(Claim[Given]):
    d: int = option(20, low=1, high=1000)  # dimension

    relation = equals(ulps=2**14)  # bisection to rounding
    supposes = Suppose(
        "f is affine",
        _bend,
        "For a tanh network, the decision boundary is not where the linearisation is zero.",
        model=lambda g, rng: MLP([g.x.shape[1], 10, 1], "tanh", rng=rng).requires_grad_(False),
    )
    symbols = "|f| / dual norm of the gradient", "radius at which the sign changes"
    rows = ("ℓ2", "ℓ∞", "ℓ1")
    shows = Along("The sign changes at distance |f|/‖w‖*", x="norm of the perturbation")

    def given(self, rng: Generator) -> Given:
        model = nn.Linear(self.d, 1, dtype=torch.float64)
        model.load_state_dict({"weight": normal(rng, 1, self.d), "bias": normal(rng, 1)})
        return Given(model.requires_grad_(False), normal(rng, 1, self.d))

    def predict(self, given: Given) -> list[float]:
        return [float(flip_distance(given.model, given.x, given.y, norm)) for norm in NORMS]

    def measure(self, given: Given) -> list[float]:
        z = given.x.clone().requires_grad_()
        (gradient,) = torch.autograd.grad(given.model(z).sum(), z)

        def crossing(norm: Norm) -> float:
            """By bisection along the steepest direction."""
            step = -given.y * steepest(gradient, norm)
            low, high = 0.0, 1e-3
            while float(given.y * given.model(given.x + high * step)) > 0 and high < 1e6:
                low, high = high, 2 * high
            for _ in range(80):
                middle = (low + high) / 2
                kept = float(given.y * given.model(given.x + middle * step)) > 0
                low, high = (middle, high) if kept else (low, middle)
            return high

        return [crossing(norm) for norm in NORMS]
