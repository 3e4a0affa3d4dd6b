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
:cost: instant
:covers: validation-loss-growth
:erratum: [loose] The closing line says that the validation loss is Omega(log t) for all datasets;
    it is under the condition stated before the computation, a validation point that w_hat
    misclassifies. If all are classified rightly the loss goes to 0: the counterexample asks for
    growth from points on the right side, and measures none.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Series, converges, option
from corollary.data.supported_cloud import SupportedCloud, supported_cloud
from corollary.theory.connectionism.separability import linear_separability
from corollary.theory.regularization.margin_losses import LOGISTIC
from corollary.theory.regularization.separable_descent import separable_flow

TIMES = (4.0, 8.0, 16.0, 32.0, 64.0, 128.0)  # log t


class Given(NamedTuple):
    """Training data, a start, and validation points of which K is said to be misclassified."""

    cloud: SupportedCloud
    w0: Float[Tensor, " d"]
    right: Float[Tensor, "a d"]  # validation points on the right side, labels multiplied in
    wrong: Float[Tensor, "b d"]  # validation points K


class ValidationLossGrowth(Claim[Given]):
    n: int = option(14, low=2, high=200)  # training points, at least d
    d: int = option(3, low=2, high=10)  # dimension
    valid: int = option(40, low=4, high=1000)  # validation points
    errors: int = option(3, low=1, high=50)  # of them on the wrong side
    relation = converges(gap=0.02)  # what is missing falls with a power of 1/t

    def given(self, rng: Generator) -> Given:
        """A cloud with planted support vectors, and validation points on both sides."""
        cloud = supported_cloud(max(self.n, self.d), self.d, rng=rng)
        w0 = torch.randn(self.d, generator=rng, dtype=torch.float64)
        count = max(self.valid, self.errors + 1)
        x = torch.randn(count, self.d, generator=rng, dtype=torch.float64)
        side = (x @ cloud.w)[:, None]
        u = cloud.w / cloud.w.norm()
        x = torch.where(side < 0, -x, x) + 0.3 * u  # all are well on the right side
        return Given(cloud, w0, x[self.errors :], -x[: self.errors])

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Separable training data, and errors of the max-margin vector."""
        x, y = given.cloud.x, given.cloud.y
        worst = float((given.wrong @ given.cloud.w).max())
        separable = linear_separability(x, y, bias=False).separable
        yield Hypothesis("a hyperplane through the origin separates the training points", separable)
        yield Hypothesis(
            "the max-margin vector misclassifies the points of K",
            worst < 0,
            f"largest ⟨ŵ, x⟩ {worst:.3g}",
        )

    def predict(self, given: Given) -> float:
        """One, in units of the sum of |⟨ŵ, x⟩| over K."""
        return 1.0

    def measure(self, given: Given) -> Series:
        """Growth of the loss from each time to the double, over that of log t."""
        s = torch.tensor([TIMES[0] / 2, *TIMES], dtype=torch.float64)
        loss = _validation(given, s).sum(dim=1)
        rate = float((given.wrong @ given.cloud.w).abs().sum())
        return Series(TIMES, loss.diff() / s.diff() / rate)

    def counterexample(self, rng: Generator) -> Given:
        """The points said to be misclassified are not."""
        given = self.given(rng)
        return given._replace(wrong=-given.wrong)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Loss with and without the errors, and the share of errors."""
        s = torch.linspace(0, 30, 80, dtype=torch.float64)
        loss = _validation(given, s)
        a = len(given.right)
        rate = float((given.wrong @ given.cloud.w).abs().sum())
        total = loss.sum(dim=1)
        growth = Figure(
            "A few errors make the validation loss grow like log t",
            x="log t",
            y="validation loss (sum)",
            marks=(
                Curve(
                    total[-1] + rate * (s - s[-1]), x=s, label="slope Σ|⟨ŵ, x⟩|", role="predicted"
                ),
                Curve(total, x=s, label="all validation points"),
                Curve(loss[:, :a].sum(dim=1), x=s, label="without the errors", role="other"),
            ),
        )
        w = separable_flow(given.cloud.signed, given.w0, s).w
        margins = w @ torch.cat([given.right, given.wrong]).T
        error = Figure(
            "Meanwhile the errors settle",
            x="log t",
            y="share of validation errors",
            marks=(
                Curve((margins <= 0).double().mean(dim=1), x=s, label="along the flow"),
                Curve(
                    torch.full_like(s, len(given.wrong) / margins.shape[1]),
                    x=s,
                    label="largest margin",
                    role="predicted",
                    dashed=True,
                ),
            ),
        )
        return growth, error


def _validation(given: Given, s: Tensor) -> Tensor:
    """The loss of each validation point, those of K last, at each time."""
    w = separable_flow(given.cloud.signed, given.w0, s).w
    return LOGISTIC.value(w @ torch.cat([given.right, given.wrong]).T)
