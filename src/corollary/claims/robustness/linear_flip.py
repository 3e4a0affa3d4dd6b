r"""How far a linear decision is from changing.

For :math:`f(x)=\langle w,x\rangle+b` the nearest point with :math:`f=0` lies at distance

.. math:: \frac{|f(x)|}{\|w\|_2}\ (\ell_2),\qquad\frac{|f(x)|}{\|w\|_1}\ (\ell_\infty),\qquad
   \frac{|f(x)|}{\|w\|_\infty}\ (\ell_1),

and :math:`x-\eta f(x)w` has the value :math:`f(x)(1-\eta\|w\|^2)`: twice the :math:`\ell_2`
distance maps f to -f. Measured: the smallest radius at which the strongest attack on the ball
changes the sign, by bisection.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3, Equation 12.9; Moosavi-Dezfooli,
    Fawzi and Frossard (2016), "DeepFool".
:kind: identity
:cost: instant
:covers: linear-flip-distance
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, equals, option
from corollary.models.mlp import MLP
from corollary.theory.robustness.balls import Norm, steepest
from corollary.theory.robustness.flip import flip_distance

_NORMS: tuple[Norm, ...] = ("l2", "linf", "l1")


class Given(NamedTuple):
    """A score, and an input with its label."""

    model: nn.Module
    x: Float[Tensor, "1 d"]
    y: Float[Tensor, " 1"]

    def gradient(self) -> Float[Tensor, "1 d"]:
        """Of the score at the input."""
        z = self.x.clone().requires_grad_(True)
        return torch.autograd.grad(self.model(z).sum(), z)[0]

    def along(self, norm: Norm, sizes: Float[Tensor, " t"]) -> Float[Tensor, " t"]:
        """Margins at perturbations of these sizes in the steepest direction."""
        step = -self.y[0] * steepest(self.gradient(), norm)
        with torch.no_grad():
            return self.y * self.model(self.x + sizes[:, None] * step)[:, 0]


class LinearFlip(Claim[Given]):
    d: int = option(20, low=1, high=1000)  # dimension
    relation = equals(ulps=2**14)  # bisection to rounding

    def given(self, rng: Generator) -> Given:
        """Normal weights."""
        model = nn.Linear(self.d, 1).double()
        with torch.no_grad():
            model.weight.normal_(generator=rng)
            model.bias.normal_(generator=rng)
        return self._with(model, rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Second differences vanish."""
        step = torch.ones_like(given.x)
        with torch.no_grad():
            ends = given.model(given.x + step) + given.model(given.x - step)
            bend = float((ends - 2 * given.model(given.x)).abs())
        yield Hypothesis("f is affine", bend < 1e-9, f"second difference {bend:.2g}")

    def predict(self, given: Given) -> list[float]:
        """|f| over the dual norm of the gradient."""
        return [float(flip_distance(given.model, given.x, given.y, norm)) for norm in _NORMS]

    def measure(self, given: Given) -> list[float]:
        """Where the margin along the steepest direction is gone."""
        return [_crossing(given, norm) for norm in _NORMS]

    def counterexample(self, rng: Generator) -> Given:
        """A tanh network: the boundary is not where the tangent crosses zero."""
        return self._with(MLP([self.d, 10, 1], "tanh", rng=rng), rng)

    def figure(self, given: Given) -> Figure:
        """The margin on the way, in units of the predicted distance."""
        share = torch.linspace(0, 2, 41, dtype=torch.float64)
        distances = dict(zip(_NORMS, self.predict(given), strict=True))
        clean = float(given.along("l2", share[:1]))
        found = [c / d for c, d in zip(self.measure(given), distances.values(), strict=True)]
        return Figure(
            "A linear margin is gone at |f|/‖w‖*",
            x="size of the perturbation / predicted distance",
            y="margin / margin at x",
            marks=(
                Curve(1 - share, share, label="1 − t", role="predicted"),
                *(
                    Curve(given.along(n, distances[n] * share) / clean, share, label=name)
                    for n, name in zip(_NORMS, ("ℓ2", "ℓ∞", "ℓ1"), strict=True)
                ),
                Points(found, [0.0] * 3, label="sign changes"),
                Level(0.0, label="f = 0", role="other"),
            ),
        )

    def _with(self, model: nn.Module, rng: Generator) -> Given:
        x = torch.randn(1, self.d, generator=rng, dtype=torch.float64)
        with torch.no_grad():
            y = torch.where(model(x)[:, 0] >= 0, 1.0, -1.0).double()
        return Given(model, x, y)


def _crossing(given: Given, norm: Norm) -> float:
    low, high = 0.0, 1e-3
    while float(given.along(norm, torch.tensor([high], dtype=torch.float64))) > 0 and high < 1e6:
        low, high = high, 2 * high
    for _ in range(80):
        middle = (low + high) / 2
        kept = float(given.along(norm, torch.tensor([middle], dtype=torch.float64))) > 0
        low, high = (middle, high) if kept else (low, middle)
    return (low + high) / 2
