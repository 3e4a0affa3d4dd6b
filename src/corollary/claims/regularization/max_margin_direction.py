r"""Gradient descent on separable data converges to the max-margin direction.

Let :math:`w_*` separate the points, :math:`\langle w_*,x_i\rangle>0` with the labels multiplied in,
let the loss :math:`\sum_i\ell(\langle w,x_i\rangle)` have a tight exponential tail with
:math:`a=c=1`, and let :math:`\eta<2/(\beta\sigma_{\max}^2(X))`. From any start

.. math:: w(t)=\hat w\log t+\rho(t),\qquad
   \hat w=\operatorname*{argmin}_w\|w\|^2\;\text{s.t.}\;\langle w,x_i\rangle\ge1,

with :math:`\rho` bounded for almost all data, so that :math:`w(t)/\|w(t)\|\to\hat w/\|\hat w\|`:
the direction of the largest margin, though nothing was ever regularised. The claim measures the
residual itself: with :math:`\hat w=\sum_i\alpha_ix_i` every support vector tells its limit,

.. math:: \langle\rho(t),x_i\rangle=\langle w(t),x_i\rangle-\log t\;\to\;\log(\eta/\alpha_i) .

A loss with a Gaussian tail grows weights more slowly than :math:`\log t`, and the law is broken.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, Theorem 72; Soudry, Hoffer,
    Nacson, Gunasekar and Srebro (2018), "The implicit bias of gradient descent on separable data",
    Theorems 3 and 4.
:kind: limit
:uses: bounded_residual, logistic_no_minimiser, support_vector_kkt
:covers: max-margin-implicit-bias, tight-exponential-tail
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Over, Series, Suppose, Trial, converges, normal, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.data.supported_cloud import SupportedCloud, supported_cloud
from corollary.theory.connectionism.separability import linear_separability
from corollary.theory.regularization.margin_losses import (
    GAUSSIAN_TAIL,
    LOGISTIC,
    MarginLoss,
    tail_check,
)
from corollary.theory.regularization.separable_descent import implicit_bias_logistic, largest_step


class Given(NamedTuple):
    cloud: SupportedCloud  # separable points with their known answer
    w0: Float[Tensor, "r d"]  # one start per row
    eta: float
    loss: MarginLoss


def both_labels(given: Given) -> Given:
    """One point has both labels: the loss has a minimiser, and the weights stay bounded."""
    x, y, w, alpha = given.cloud
    extra = (torch.cat([x, x[:1]]), torch.cat([y, -y[:1]]), w, torch.cat([alpha, 0 * alpha[:1]]))
    return given._replace(cloud=SupportedCloud(*extra))


class MaxMarginDirection(Claim[Given]):
    n: int = option(14, low=2, high=200)  # points, at least d
    d: int = option(2, low=2, high=10)  # dimension, and number of support vectors
    steps: int = option(3000, low=100, high=1_000_000)  # steps of gradient descent
    starts: int = option(4, low=1, high=100)  # starting points

    relation = converges(gap=0.05)  # the distance falls like 1/t or slower, by the data's shape
    supposes = (
        Suppose(
            "a hyperplane through the origin separates the points",
            lambda g: linear_separability(g.cloud.x, g.cloud.y, bias=False).separable,
            without=both_labels,
        ),
        Suppose(
            "the loss has a tight exponential tail",
            lambda g: (tail_check(g.loss).tight, g.loss.name),
            "With a Gaussian tail the weights grow more slowly than log t.",
            loss=lambda: GAUSSIAN_TAIL,
            eta=lambda g: 0.9 * largest_step(g.cloud.signed, GAUSSIAN_TAIL),
        ),
        Suppose(
            "the step is below 2/(β σ²)", lambda g: largest_step(g.cloud.signed, g.loss) - g.eta
        ),
    )
    symbols = "0", "largest |⟨w(t), xᵢ⟩ − log t − log(η/αᵢ)|"
    predicts = 0.0
    shows = Over("Margins grow like log t, with a known offset", x="t", log="xy")

    def given(self, rng: Generator) -> Given:
        cloud = supported_cloud(max(self.n, self.d), self.d, rng=rng)
        w0 = normal(rng, self.starts, self.d)
        return Given(cloud, w0, 0.9 * largest_step(cloud.signed), LOGISTIC)

    def measure(self, given: Given) -> Kept:
        cloud, w0, eta, loss = given
        times = [max(self.steps // 8, 1), self.steps // 4, self.steps // 2, self.steps]
        run = implicit_bias_logistic(cloud.signed, w0, eta, times, loss=loss)
        support = cloud.alpha > 0
        residual = run.w @ cloud.signed[support].T - run.t.double().log()[:, None, None]
        off = residual - torch.log(eta / cloud.alpha[support])
        return Kept(Series(times, off.abs().amax(dim=(1, 2))), w=run.w[-1, 0])

    @picture("Descent turns towards the hyperplane of largest margin", x="x₁", y="x₂", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        x, y, w, _ = trial.given.cloud
        if self.d > 2:
            return

        def line(w: Tensor) -> tuple[Tensor, Tensor]:
            reach = torch.tensor([-1.0, 1.0]) * x.norm(dim=1).max() / w.norm()
            return reach * w[0], -reach * w[1]

        groups = [(x[y == sign], f"points labelled {sign:+d}") for sign in (1, -1)]
        for z, name in groups:
            yield Points(z[:, 0], z[:, 1], label=name, role="other")
        yield Curve(*line(w), label="largest margin", role="predicted")
        yield Curve(*line(trial.kept.w), label=f"descent at t = {self.steps}")
