r"""Validation loss grows like log t.

Let gradient flow on separable data run with the logistic loss, and let the max-margin vector
misclassify validation points: :math:`\langle\hat w,x_k\rangle<0` for k in K (labels multiplied in).
Since :math:`w(t)=\hat w\log t+\rho(t)`,

.. math:: \mathcal L_{\mathrm{val}}(w(t))
   \ge-\langle\hat w,x_k\rangle\log t-\langle\rho(t),x_k\rangle,\qquad
   \frac{d\mathcal L_{\mathrm{val}}}{d\log t}\to\sum_{k\in K}|\langle\hat w,x_k\rangle| ,

while the number of errors settles. A growing validation loss is no reason to stop if one asks for
few errors. If every validation point is on the right side of :math:`\hat w` the loss goes to 0.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, Validation error lower bound;
    Soudry, Hoffer, Nacson, Gunasekar and Srebro (2018), "The implicit bias of gradient descent on
    separable data".
:kind: limit
:uses: max_margin_direction
:covers: validation-loss-growth
:erratum: [loose] The closing line says that the validation loss is Omega(log t) for all datasets;
    it is under the condition stated before the computation, a validation point that w_hat
    misclassifies. If all are classified correctly the loss goes to 0: the counterexample asks for
    growth from points on the right side, and measures none.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, Trial, converges, normal, option
from corollary.core.picture import Curve, Marks, picture
from corollary.data.supported_cloud import SupportedCloud, supported_cloud
from corollary.theory.connectionism.separability import linear_separability
from corollary.theory.regularization.margin_losses import LOGISTIC
from corollary.theory.regularization.separable_descent import separable_flow

TIMES = (4.0, 8.0, 16.0, 32.0, 64.0, 128.0)  # log t


class Given(NamedTuple):
    cloud: SupportedCloud  # training data
    w0: Float[Tensor, " d"]  # start
    right: Float[Tensor, "a d"]  # validation points on the right side, labels multiplied in
    wrong: Float[Tensor, "b d"]  # validation points K, said to be misclassified

    def margins(self, s: Tensor) -> Tensor:
        """Of each validation point, those of K last, at the times exp(s)."""
        w = separable_flow(self.cloud.signed, self.w0, s).w
        return w @ torch.cat([self.right, self.wrong]).T


class ValidationLossGrowth(Claim[Given]):
    n: int = option(14, low=2, high=200)  # training points, at least d
    d: int = option(3, low=2, high=10)  # dimension
    valid: int = option(40, low=4, high=1000)  # validation points
    errors: int = option(3, low=1, high=50)  # validation points on the wrong side

    relation = converges(gap=0.02)  # what is missing falls with a power of 1/t
    supposes = (
        Suppose(
            "a hyperplane through the origin separates the training points",
            lambda g: linear_separability(g.cloud.x, g.cloud.y, bias=False).separable,
        ),
        Suppose(
            "the max-margin vector misclassifies the points of K",
            lambda g: -(g.wrong @ g.cloud.w).max(),
            "If the points of K are classified correctly, their loss does not grow.",
            wrong=lambda g: -g.wrong,
        ),
    )
    symbols = "1", "dL/d log t over Σ|⟨ŵ, x⟩|"
    predicts = 1.0
    shows = Over("The validation loss grows like log t", x="log t")

    def given(self, rng: Generator) -> Given:
        cloud = supported_cloud(max(self.n, self.d), self.d, rng=rng)
        w0, x = normal(rng, self.d), normal(rng, max(self.valid, self.errors + 1), self.d)
        side, u = (x @ cloud.w)[:, None], cloud.w / cloud.w.norm()
        x = torch.where(side < 0, -x, x) + 0.3 * u  # all are well on the right side
        return Given(cloud, w0, x[self.errors :], -x[: self.errors])

    def measure(self, given: Given) -> Series:
        s = torch.tensor([TIMES[0] / 2, *TIMES], dtype=torch.float64)
        loss = LOGISTIC.value(given.margins(s)).sum(dim=1)
        rate = float((given.wrong @ given.cloud.w).abs().sum())
        return Series(TIMES, loss.diff() / s.diff() / rate)

    @picture(
        "The loss grows although the number of errors does not",
        x="log t",
        y="sum over validation points",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        s = torch.linspace(0, 30, 80, dtype=torch.float64)
        margins = trial.given.margins(s)
        loss = LOGISTIC.value(margins)
        without = loss[:, : len(trial.given.right)].sum(dim=1)
        yield Curve(loss.sum(dim=1), x=s, label="loss")
        yield Curve(without, x=s, label="loss without the points of K", role="other")
        yield Curve((margins <= 0).sum(dim=1), x=s, label="errors", role="other", dashed=True)
