r"""The smoothed margin of a homogeneous network never shrinks.

Gradient flow on :math:`\mathcal L=\sum_i\ell(q_i)`, :math:`q_i=y_if(\theta;x_i)`, with the
exponential or the logistic loss and f homogeneous of degree L in its parameters. From any time
:math:`t_0` with :math:`\mathcal L(t_0)<\ell(0)` (so that all :math:`q_i>0`)

.. math:: \tilde\gamma(t)=\frac{\ell^{-1}(\mathcal L(\theta(t)))}{\|\theta(t)\|^L}
   \quad\text{does not decrease},\qquad\mathcal L\to0,\quad\|\theta\|\to\infty,

so training goes on to enlarge the margin after every point is right. The claim trains a two-layer
ReLU network on four noisy clusters in the positions of exclusive or. With a bias at the output the
network is not homogeneous; if that bias alone serves the data, the margin divided by
:math:`\|\theta\|^2` falls to 0.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, Theorem 73; Lyu and Li (2020),
    "Gradient descent maximizes the margin of homogeneous neural networks", Theorem 4.1.
:kind: theorem
:cost: seconds
:uses: homogeneous_euler, exponential_tails
:covers: homogeneous-margin-kkt
:erratum: [wrong] The theorem asks L(theta(t0)) < 1/n for the mean of either loss, "and thus
    y_i f > 0". For the logistic loss that does not follow: n = 1 and y f = -0.5 have the loss
    log(1 + e^0.5) = 0.974 < 1. The threshold is l(0)/n, which is log(2)/n; 1/n is right for the
    exponential loss.
:scale-free: both sides are the same margin, at two times.
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_least, normal, option
from corollary.models.homogeneous import HomogeneousNet
from corollary.theory.regularization.homogeneous import MarginFlow, homogeneity_degree, margin_flow
from corollary.theory.regularization.margin_losses import EXPONENTIAL, LOGISTIC

LOSSES = {"logistic": LOGISTIC, "exponential": EXPONENTIAL}


class Given(NamedTuple):
    x: Float[Tensor, "n 2"]
    net: HomogeneousNet
    flow: MarginFlow  # that started from it
    first: int  # the entry of the flow that counts as t0

    @property
    def times(self) -> Tensor:
        """Logarithms of the times that are compared with the next ones."""
        return self.flow.s[self.first : -1]


def _degree(given: Given) -> tuple[bool, str]:
    found = homogeneity_degree(given.net, given.x)
    return found.homogeneous, f"degree {found.degree:.3g} ± {found.spread:.1g}"


def _small_loss(self: "GrowingMargin", given: Given) -> float:
    loss = given.flow.log_loss[given.first].exp()
    return float(LOSSES[self.loss].separating_mean(1) - loss)


def bias_alone(self: "GrowingMargin", rng: Generator) -> Given:
    """All labels are +1, and the output bias alone fits them, so the margin shrinks."""
    x, net = normal(rng, self.n, 2), HomogeneousNet([2, 2, 1], bias="output", scale=0.1, rng=rng)
    with torch.no_grad():
        net.get_parameter("layers.1.b").fill_(0.3)
    return self.followed(x, x.new_ones(self.n), net)


class GrowingMargin(Claim[Given]):
    n: int = option(8, low=4, high=100)  # points
    m: int = option(16, low=2, high=200)  # hidden units
    last: float = option(9.0, low=4.0, high=100.0)  # log of the last time
    loss: Literal["logistic", "exponential"] = "logistic"  # loss function of the margin
    step: float = option(0.03, low=0.001, high=0.1)  # step of the scheme, in log t

    relation = at_least(ulps=2**30)  # 2e-7: the flow is followed in steps
    supposes = (
        Suppose("the network is homogeneous", _degree, without=bias_alone),
        Suppose("at t0 the loss is below ℓ(0)", _small_loss),
    )
    symbols = "smoothed margin at this time", "smoothed margin at the next time"
    shows = Along("Smoothed margin of the network over time", x="log t", at="times")

    def given(self, rng: Generator) -> Given:
        corners = torch.tensor([[1, 1], [-1, -1], [1, -1], [-1, 1]], dtype=torch.float64)
        centres = corners.repeat(-(-self.n // 4), 1)[: self.n]  # labelled as exclusive or
        noise = 0.3 * normal(rng, self.n, 2)
        net = HomogeneousNet([2, self.m, 1], bias="first", rng=rng)
        return self.followed(centres + noise, centres.prod(dim=1), net)

    def followed(self, x: Tensor, y: Tensor, net: HomogeneousNet) -> Given:
        """The flow from t = 1, and its first entry with a loss below ℓ(0) (the second if none)."""
        s = torch.linspace(0, self.last, 13, dtype=torch.float64)
        loss = LOSSES[self.loss]
        flow = margin_flow(net, x, y, s, degree=net.degree, loss=loss, step=self.step)
        small = (flow.log_loss.exp() < loss.separating_mean(1)).nonzero().flatten().tolist()
        return Given(x, net, flow, min(small[0] if small else 1, len(s) - 2))

    def predict(self, given: Given) -> Tensor:
        return given.flow.smoothed[given.first : -1]

    def measure(self, given: Given) -> Tensor:
        return given.flow.smoothed[given.first + 1 :]
