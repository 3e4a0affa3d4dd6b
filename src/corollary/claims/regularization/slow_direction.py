r"""The direction converges like 1/log t.

On separable data with a tight exponential tail, along the gradient flow,

.. math:: \Bigl\|\frac{w(t)}{\|w(t)\|}-\frac{\hat w}{\|\hat w\|}\Bigr\|=O\Bigl(\frac1{\log t}\Bigr),
   \qquad \log t\,(\gamma-\gamma(t))\;\to\;\gamma\Bigl(\gamma^2\sum_i\alpha_ir_i-\min_ir_i\Bigr),
   \quad r_i=\log\frac1{\alpha_i},

where :math:`\gamma(t)=\min_i\langle w,x_i\rangle/\|w\|`: to halve the angle one has to square the
time. The claim fits the exponent of :math:`\log t` from :math:`t=e^{60}` to :math:`t=e^{500}`,
which a flow in the variable :math:`\log t` can reach and no descent ever will. A loss with the
polynomial tail :math:`-\ell'(u)=1/(1+u^2)` ends in another direction.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2; Soudry, Hoffer, Nacson,
    Gunasekar and Srebro (2018), "The implicit bias of gradient descent on separable data",
    Theorem 5.
:kind: rate
:cost: instant
:covers: max-margin-convergence-rates
"""

from collections.abc import Iterator

import torch
from torch import Generator

from corollary.claims.regularization._separable import Given, rates, separable
from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Series, option, slope
from corollary.theory.connectionism.max_margin import max_margin
from corollary.theory.regularization.margin_losses import POLYNOMIAL_TAIL, tail_check
from corollary.theory.regularization.separable_descent import margin_gap_constant


class SlowDirection(Claim[Given]):
    n: int = option(14, low=2, high=200)  # points, at least d
    d: int = option(2, low=2, high=10)  # dimension, and number of support vectors
    first: float = option(60.0, low=10.0, high=100.0)  # log t at which the fit starts
    last: float = option(500.0, low=300.0, high=1000.0)  # log t at which it ends
    relation = slope(gap=0.08)  # a constant is added to log t, which 60 and more outweigh

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
        """The exponent of log t."""
        return -1.0

    def measure(self, given: Given) -> Series:
        """The distance of the directions at growing log t."""
        s = torch.logspace(0, 1, 8, dtype=torch.float64)
        s = self.first * (self.last / self.first) ** s.log10()
        return Series(s, rates(given, s).direction)

    def counterexample(self, rng: Generator) -> Given:
        """The same points with a loss whose tail is a power."""
        return self.given(rng)._replace(loss=POLYNOMIAL_TAIL)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Both distances over log t, and the margin gap times log t with its limit."""
        s = torch.logspace(0.5, 2.7, 60, dtype=torch.float64)
        found, other = rates(given, s), rates(given._replace(loss=POLYNOMIAL_TAIL), s)
        guide = float(found.direction[-1] * s[-1]) / s
        decay = Figure(
            "Halving the angle takes the square of the time",
            x="log t",
            y="distance of the directions",
            log_x=True,
            log_y=True,
            marks=(
                Curve(guide, x=s, label="C / log t", role="predicted"),
                Curve(found.direction, x=s, label="logistic loss"),
                Curve(other.direction, x=s, label="loss with a polynomial tail", role="other"),
            ),
        )
        constant = Figure(
            "The margin gap has a constant too",
            x="log t",
            y="log t · (γ − γ(t))",
            log_x=True,
            marks=(
                Curve(found.margin_gap * s, x=s, label="along the flow"),
                Level(margin_gap_constant(given.svm), label="limit from the multipliers"),
            ),
        )
        return decay, constant
