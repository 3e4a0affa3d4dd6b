r"""On separable data the loss converges like 1/t.

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
:uses: max_margin_direction
:covers: max-margin-convergence-rates
"""

import torch
from torch import Generator

from corollary.claims.regularization._separable import Given, separable
from corollary.core import Claim, Over, Series, Suppose, Trial, converges, option
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.regularization.margin_losses import POLYNOMIAL_TAIL, tail_check
from corollary.theory.regularization.separable_descent import rates_report

TIMES = (1e3, 1e4, 1e5, 1e6, 1e8, 1e10)


class FastLoss(Claim[Given]):
    n: int = option(14, low=2, high=200)  # points, at least d
    d: int = option(2, low=2, high=10)  # dimension, and number of support vectors

    relation = converges(gap=0.01)  # of γ² t L; the rest falls like a power of 1/t
    supposes = (
        Suppose(
            "a hyperplane through the origin separates the points",
            lambda g: g.margin(),
        ),
        Suppose(
            "the loss has a tight exponential tail",
            lambda g: (tail_check(g.loss).tight, g.loss.name),
            "If the tail of the loss is a power, the loss falls only like t^(-1/3).",
            loss=POLYNOMIAL_TAIL,
        ),
    )
    symbols = "1", "γ² · t · L(w(t))"
    predicts = 1.0
    shows = Over("Time times loss tends to 1 / margin²", x="t", log="xy")

    def given(self, rng: Generator) -> Given:
        return separable(self.n, self.d, rng)

    def measure(self, given: Given) -> Series:
        s = torch.tensor(TIMES, dtype=torch.float64).log()
        rates = rates_report(given.x, given.svm, s, given.flow(s), loss=given.loss)
        return Series(TIMES, given.svm.margin**2 * rates.t_loss)

    @picture("The loss converges fast, the direction slowly", x="t", y="what is left", log="xy")
    def race(self, trial: Trial[Given]) -> Marks:
        x, svm, _, loss = trial.given
        s = torch.linspace(1, 23, 60, dtype=torch.float64)
        found = rates_report(x, svm, s, trial.given.flow(s), loss=loss)
        yield Curve(1 / (svm.margin**2 * s.exp()), s.exp(), "1/(γ² t)", "predicted")
        yield Curve(found.loss, s.exp(), "loss")
        yield Curve(found.direction, s.exp(), "distance of the directions", "other")
