r"""The residual of the max-margin flow is bounded.

Gradient flow on :math:`\sum_ie^{-\langle w,x_i\rangle}`, the support vectors S linearly
independent with all :math:`\alpha_i>0`; let :math:`e^{-\langle x_i,\tilde w\rangle}=\alpha_i` on
S and :math:`r(t)=w(t)-\hat w\log t-\tilde w`. Then for :math:`t\ge t_1\ge1`

.. math:: \frac12\frac d{dt}\|r\|^2\le C\,t^{-\theta},\qquad
   \|r(t)\|^2\le\|r(t_1)\|^2+\frac{2C}{\theta-1}\bigl(t_1^{1-\theta}-t^{1-\theta}\bigr),

with :math:`C=\sum_{i\notin S}e^{-\langle x_i,\tilde w\rangle}` and
:math:`\theta=\min_{i\notin S}\langle x_i,\hat w\rangle>1`. This is the proof that descent finds the
largest margin: the part of the support vectors only shrinks r, that of all others can be
integrated. For any other vector in place of :math:`\hat w` the rest grows like :math:`\log t`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, (11.14)-(11.20); Soudry,
    Hoffer, Nacson, Gunasekar and Srebro (2018), "The implicit bias of gradient descent on separable
    data".
:kind: bound
:cost: instant
:covers: gradient-flow-residual-bounded
:erratum: [typo] (11.15) carries a step size eta, which a gradient flow does not have; the identity
    sum exp(-x_i w_tilde) x_i = w_hat that is used after (11.17) needs eta = 1. That w_tilde exists
    (support vectors linearly independent, all alpha_i > 0) is the generic case and is not stated.
"""

import dataclasses
import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option
from corollary.data.supported_cloud import supported_cloud
from corollary.theory.regularization.bounded_residual import (
    ResidualCertificate,
    generic_support,
    residual_certificate,
)
from corollary.theory.regularization.hard_margin import (
    HardMargin,
    hard_margin_svm,
    margin_problem,
)
from corollary.theory.regularization.kkt import kkt_residuals
from corollary.theory.regularization.margin_losses import EXPONENTIAL
from corollary.theory.regularization.separable_descent import separable_flow


class Given(NamedTuple):
    """Points with their labels multiplied in, the max-margin vector, the start at t = 1."""

    x: Float[Tensor, "n d"]
    svm: HardMargin
    w0: Float[Tensor, " d"]


class BoundedResidual(Claim[Given]):
    n: int = option(14, low=3, high=200)  # points, more than d
    d: int = option(3, low=2, high=10)  # dimension
    decades: float = option(6.0, low=1.0, high=100.0)  # the last time is ten to this power
    relation = at_most(ulps=2**24)  # the flow is integrated to a relative error of 1e-9

    def given(self, rng: Generator) -> Given:
        """A cloud with planted support vectors, and a start behind the first point."""
        x = supported_cloud(max(self.n, self.d + 1), self.d, theta=1.5, rng=rng).signed
        w0 = torch.randn(self.d, generator=rng, dtype=torch.float64)
        return Given(x, hard_margin_svm(x), w0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The vector is that of the largest margin, and its support is generic."""
        x, svm, _ = given
        off = kkt_residuals(margin_problem(x), svm.w, svm.alpha).largest
        yield Hypothesis("w hat is the max-margin vector", off < 1e-6, f"KKT residual {off:.1e}")
        yield Hypothesis(
            "the support vectors are independent and all alpha are positive",
            generic_support(x, svm),
        )

    def predict(self, given: Given) -> list[float]:
        """The bound, at each time after the first."""
        return self._certificate(given).norm_bound[1:].tolist()

    def measure(self, given: Given) -> list[float]:
        """The squared length of the rest along the flow."""
        x, svm, w0 = given
        s = self._grid()
        w = separable_flow(x, w0, s, loss=EXPONENTIAL).w
        # on the support vectors the offset is -log alpha by definition, whatever solves for it
        offset = torch.linalg.lstsq(x[svm.support], -svm.alpha[svm.support, None].log()).solution
        return (w - s[:, None] * svm.w - offset[:, 0]).square().sum(dim=1)[1:].tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Twice the vector: it has margin 2 everywhere, and is not the shortest."""
        given = self.given(rng)
        return given._replace(svm=dataclasses.replace(given.svm, w=2 * given.svm.w))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The length with its bound, and the two brackets of the proof."""
        found, t = self._certificate(given), self._grid().exp()
        length = Figure(
            "What is left of w after log t and the offset stays bounded",
            x="t",
            y="‖r(t)‖",
            log_x=True,
            marks=(
                Curve(found.norm_bound.sqrt(), x=t, label="bound", role="predicted"),
                Curve(found.r.norm(dim=1), x=t, label="along the flow"),
            ),
        )
        brackets = Figure(
            "Support vectors pull r back, the others push ever less",
            x="t",
            y="t · ½ d‖r‖²/dt",
            log_x=True,
            marks=(
                Curve(t * found.first, x=t, label="support vectors: never above 0"),
                Curve(t * found.second, x=t, label="all other points", role="other"),
                Curve(t * found.second_bound, x=t, label="C t^(1−θ)", role="predicted"),
            ),
        )
        return length, brackets

    def _grid(self) -> Tensor:
        return torch.linspace(0, self.decades * math.log(10), 25, dtype=torch.float64)

    def _certificate(self, given: Given) -> ResidualCertificate:
        x, svm, w0 = given
        s = self._grid()
        return residual_certificate(x, svm, s, separable_flow(x, w0, s, loss=EXPONENTIAL).w)
