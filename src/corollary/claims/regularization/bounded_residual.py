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
:uses: exponential_tails, support_vector_kkt
:covers: gradient-flow-residual-bounded
:erratum: [typo] (11.15) carries a step size eta, which a gradient flow does not have; the identity
    sum exp(-x_i w_tilde) x_i = w_hat that is used after (11.17) needs eta = 1. That w_tilde exists
    (support vectors linearly independent, all alpha_i > 0) is the generic case and is not stated.
"""

import dataclasses
import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, normal, option
from corollary.data.supported_cloud import supported_cloud
from corollary.theory.regularization.bounded_residual import generic_support, residual_certificate
from corollary.theory.regularization.hard_margin import HardMargin, hard_margin_svm, margin_problem
from corollary.theory.regularization.kkt import kkt_residuals
from corollary.theory.regularization.margin_losses import EXPONENTIAL
from corollary.theory.regularization.separable_descent import separable_flow


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # points with their labels multiplied in
    svm: HardMargin  # the max-margin vector
    w0: Float[Tensor, " d"]  # start at t = 1


class BoundedResidual(Claim[Given]):
    n: int = option(14, low=3, high=200)  # points, more than d
    d: int = option(3, low=2, high=10)  # dimension
    decades: float = option(6.0, low=1.0, high=100.0)  # the last time is ten to this power

    relation = at_most(ulps=2**24)  # the flow is integrated to a relative error of 1e-9
    supposes = (
        Suppose(
            "w hat is the max-margin vector",
            lambda g: 1e-6 - kkt_residuals(margin_problem(g.x), g.svm.w, g.svm.alpha).largest,
            "If ŵ is twice as long, it is not the max-margin vector, and the residual grows like "
            "log t.",
            svm=lambda g: dataclasses.replace(g.svm, w=2 * g.svm.w),
        ),
        Suppose(
            "the support vectors are independent and all alpha are positive",
            lambda g: generic_support(g.x, g.svm),
        ),
    )
    symbols = "bound on ‖r(t)‖²", "‖r(t)‖²"
    shows = Along(
        "The residual of w after log t and the offset is bounded", x="t", at="times", log="x"
    )

    @property
    def s(self) -> Tensor:
        """Logarithms of the times."""
        return torch.linspace(0, self.decades * math.log(10), 25, dtype=torch.float64)

    @property
    def times(self) -> Tensor:
        """Those after the first, for which the bound is stated."""
        return self.s[1:].exp()

    def given(self, rng: Generator) -> Given:
        x = supported_cloud(max(self.n, self.d + 1), self.d, theta=1.5, rng=rng).signed
        return Given(x, hard_margin_svm(x), normal(rng, self.d))

    def predict(self, given: Given) -> Tensor:
        x, svm, w0 = given
        w = separable_flow(x, w0, self.s, loss=EXPONENTIAL).w
        return residual_certificate(x, svm, self.s, w).norm_bound[1:]

    def measure(self, given: Given) -> Tensor:
        x, svm, w0 = given
        w = separable_flow(x, w0, self.s, loss=EXPONENTIAL).w
        # on the support vectors the offset is -log alpha by definition, whatever solves for it
        offset: Tensor = torch.linalg.lstsq(
            x[svm.support], -svm.alpha[svm.support, None].log(), driver="gelsd"
        ).solution
        r: Tensor = w - self.s[:, None] * svm.w - offset[:, 0]
        return r.square().sum(dim=1)[1:]

    def tight(self) -> Given:
        """One point: the part of r across it never moves."""
        x = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
        return Given(x, hard_margin_svm(x), x.new_tensor([0.0, 5.0]))
