r"""On separable data the direction of the weights converges like 1/log t.

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
:uses: max_margin_direction
:covers: max-margin-convergence-rates
"""

import math

import torch
from torch import Generator

from corollary.claims.regularization._separable import Given, separable
from corollary.core import Claim, Over, Series, Suppose, option, slope
from corollary.theory.regularization.margin_losses import POLYNOMIAL_TAIL, tail_check
from corollary.theory.regularization.separable_descent import rates_report


class SlowDirection(Claim[Given]):
    n: int = option(14, low=2, high=200)  # points, at least d
    d: int = option(2, low=2, high=10)  # dimension, and number of support vectors
    first: float = option(60.0, low=10.0, high=100.0)  # log t at which the fit starts
    last: float = option(500.0, low=300.0, high=1000.0)  # log t at which it ends

    relation = slope(gap=0.08)  # a constant is added to log t, which 60 and more outweigh
    supposes = (
        Suppose(
            "a hyperplane through the origin separates the points",
            lambda g: g.margin(),
        ),
        Suppose(
            "the loss has a tight exponential tail",
            lambda g: (tail_check(g.loss).tight, g.loss.name),
            "If the tail of the loss is a power, descent ends in another direction.",
            loss=POLYNOMIAL_TAIL,
        ),
    )
    symbols = "1/log t", "distance of the directions"
    predicts = -1.0
    shows = Over("To halve the angle, t must become t²", x="log t")

    def given(self, rng: Generator) -> Given:
        return separable(self.n, self.d, rng)

    def measure(self, given: Given) -> Series:
        s = torch.logspace(math.log10(self.first), math.log10(self.last), 8, dtype=torch.float64)
        rates = rates_report(given.x, given.svm, s, given.flow(s), loss=given.loss)
        return Series(s, rates.direction)
