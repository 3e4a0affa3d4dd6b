r"""The loss converges like 1/t.

On separable data the training loss of the gradient flow on
:math:`\mathcal L(w)=\sum_i\log(1+e^{-\langle w,x_i\rangle})` falls like

.. math:: t\,\mathcal L(w(t))\;\to\;\sum_i\alpha_i=\|\hat w\|^2=\frac1{\gamma^2} :

fast beside the direction, which needs :math:`\log t`. So a loss that is almost zero says little
about how near the margin is to its best. A loss with the polynomial tail
:math:`-\ell'(u)=1/(1+u^2)` falls like :math:`t^{-1/3}` only.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2; Soudry, Hoffer, Nacson,
    Gunasekar and Srebro (2018), "The implicit bias of gradient descent on separable data",
    Theorem 5.
:kind: limit
:cost: instant
:covers: max-margin-convergence-rates
"""

from collections.abc import Iterator

import torch
from torch import Generator

from corollary.claims.regularization._separable import Given, rates, separable
from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Series, converges, option
from corollary.theory.connectionism.max_margin import max_margin
from corollary.theory.regularization.margin_losses import POLYNOMIAL_TAIL, tail_check

TIMES = (1e3, 1e4, 1e5, 1e6, 1e8, 1e10)


class FastLoss(Claim[Given]):
    n: int = option(14, low=2, high=200)  # points, at least d
    d: int = option(2, low=2, high=10)  # dimension, and number of support vectors
    relation = converges(gap=0.01)  # of γ² t L; the rest falls like a power of 1/t

    def given(self, rng: Generator) -> Given:
        """A cloud with planted support vectors, and a normal start."""
        return separable(self.n, self.d, rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A positive margin, and the tail."""
        margin = max_margin(given.x, given.x.new_ones(len(given.x))).margin
        yield Hypothesis(
            "a hyperplane through the origin separates the points", margin > 0, f"{margin:.3g}"
        )
        loss = given.loss
        yield Hypothesis("the loss has a tight exponential tail", tail_check(loss).tight, loss.name)

    def predict(self, given: Given) -> float:
        """One, in units of 1/γ²."""
        return 1.0

    def measure(self, given: Given) -> Series:
        """The squared margin times t times the loss."""
        s = torch.tensor(TIMES, dtype=torch.float64).log()
        return Series(TIMES, given.svm.margin**2 * rates(given, s).t_loss)

    def counterexample(self, rng: Generator) -> Given:
        """The same points with a loss whose tail is a power."""
        return self.given(rng)._replace(loss=POLYNOMIAL_TAIL)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The loss beside the distance of the directions, and t times the loss."""
        s = torch.linspace(1, 23, 60, dtype=torch.float64)
        found, t = rates(given, s), s.exp()
        law = (given.svm.margin**2 * t) ** -1
        race = Figure(
            "The loss is fast, the direction slow",
            x="t",
            y="what is left",
            log_x=True,
            log_y=True,
            marks=(
                Curve(law, x=t, label="1/(γ² t)", role="predicted"),
                Curve(found.loss, x=t, label="loss"),
                Curve(found.direction, x=t, label="distance of the directions", role="other"),
            ),
        )
        constant = Figure(
            "Time times loss tends to one over the squared margin",
            x="t",
            y="t · L(w(t))",
            log_x=True,
            marks=(
                Curve(found.t_loss, x=t, label="along the flow"),
                Level(given.svm.margin**-2, label="1/γ²"),
            ),
        )
        return race, constant
