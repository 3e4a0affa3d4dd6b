r"""Gradient descent finds the largest margin.

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
:cost: instant
:covers: max-margin-implicit-bias, tight-exponential-tail
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Points,
    Series,
    converges,
    option,
)
from corollary.data.supported_cloud import SupportedCloud, supported_cloud
from corollary.theory.connectionism.separability import linear_separability
from corollary.theory.regularization.margin_losses import (
    GAUSSIAN_TAIL,
    LOGISTIC,
    MarginLoss,
    tail_check,
)
from corollary.theory.regularization.separable_descent import (
    Iterates,
    implicit_bias_logistic,
    largest_step,
    log_times,
)


class Given(NamedTuple):
    """Separable points with their known answer, starts, step size and loss."""

    cloud: SupportedCloud
    w0: Float[Tensor, "r d"]  # one start a row
    eta: float
    loss: MarginLoss


class MaxMarginDirection(Claim[Given]):
    n: int = option(14, low=2, high=200)  # points, at least d
    d: int = option(2, low=2, high=10)  # dimension, and number of support vectors
    steps: int = option(3000, low=100, high=1_000_000)  # steps of gradient descent
    starts: int = option(4, low=1, high=100)  # starting points
    relation = converges(gap=0.05)  # the distance falls like 1/t or slower, by the data's shape

    def given(self, rng: Generator) -> Given:
        """A cloud with planted support vectors, normal starts, nine tenths of the largest step."""
        cloud = supported_cloud(max(self.n, self.d), self.d, rng=rng)
        w0 = torch.randn(self.starts, self.d, generator=rng, dtype=torch.float64)
        return Given(cloud, w0, 0.9 * largest_step(cloud.signed), LOGISTIC)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Separability, the tail and the step size."""
        cloud, _, eta, loss = given
        separable = linear_separability(cloud.x, cloud.y, bias=False).separable
        limit = largest_step(cloud.signed, loss)
        yield Hypothesis("a hyperplane through the origin separates the points", separable)
        yield Hypothesis("the loss has a tight exponential tail", tail_check(loss).tight, loss.name)
        yield Hypothesis("the step is below 2/(β σ²)", eta < limit, f"η = {eta:.3g} < {limit:.3g}")

    def predict(self, given: Given) -> float:
        """No distance to the limits is left."""
        return 0.0

    def measure(self, given: Given) -> Series:
        """The largest distance of a support vector's residual from its limit, over all starts."""
        times = [max(self.steps // 8, 1), self.steps // 4, self.steps // 2, self.steps]
        off = _residuals(given, _run(given, times)) - _limits(given)
        return Series(times, off.abs().amax(dim=(1, 2)))

    def counterexample(self, rng: Generator) -> Given:
        """The same points with a loss whose tail is Gaussian."""
        given = self.given(rng)
        eta = 0.9 * largest_step(given.cloud.signed, GAUSSIAN_TAIL)
        return given._replace(loss=GAUSSIAN_TAIL, eta=eta)

    def figure(self, given: Given) -> tuple[Figure, ...]:
        """The separating lines as they turn, and the residual on each support vector."""
        run = _run(given, log_times(self.steps, 40))
        residual = _residuals(given, run)
        marks = []
        for i, limit in enumerate(_limits(given).tolist()[:4]):
            label = f"support vector {i + 1}"
            marks.append(Curve(residual[:, 0, i], x=run.t, label=label, dashed=i > 0))
            marks.append(Level(limit, label=f"log(η/α) of support vector {i + 1}"))
        settled = Figure(
            "Margins grow like log t, with a known offset",
            x="t",
            y="⟨w(t), x⟩ − log t",
            log_x=True,
            marks=tuple(marks),
        )
        return (_plane(given, run), settled) if self.d == 2 else (settled,)


def _run(given: Given, times: list[int]) -> Iterates:
    cloud, w0, eta, loss = given
    return implicit_bias_logistic(cloud.signed, w0, eta, times, loss=loss)


def _residuals(given: Given, run: Iterates) -> Tensor:
    """The margins of the support vectors minus log t: times, starts, support vectors."""
    support = given.cloud.signed[given.cloud.alpha > 0]
    return run.w @ support.T - run.t.double().log()[:, None, None]


def _limits(given: Given) -> Tensor:
    alpha = given.cloud.alpha
    return torch.log(given.eta / alpha[alpha > 0])


def _plane(given: Given, run: Iterates) -> Figure:
    cloud = given.cloud
    reach = float(cloud.x.norm(dim=1).max())

    def line(w: Tensor) -> tuple[list[float], list[float]]:
        along = reach * torch.stack([-w[1], w[0]]) / w.norm()
        return [-float(along[0]), float(along[0])], [-float(along[1]), float(along[1])]

    marks = []
    for label, role in ((1, "measured"), (-1, "other")):
        chosen = cloud.x[cloud.y == label]
        name = f"points labelled {label:+d}"
        marks.append(Points(chosen[:, 0], chosen[:, 1], label=name, role=role))
    shown = sorted({0, len(run.t) // 3, len(run.t) - 1})
    for k in shown:
        a, b = line(run.w[k, 0])
        marks.append(Curve(b, x=a, label=f"descent at t = {int(run.t[k])}", dashed=k != shown[-1]))
    a, b = line(cloud.w)
    marks.append(Curve(b, x=a, label="largest margin", role="predicted"))
    return Figure(
        "Descent turns towards the hyperplane of largest margin",
        x="x₁",
        y="x₂",
        equal=True,
        marks=tuple(marks),
    )
