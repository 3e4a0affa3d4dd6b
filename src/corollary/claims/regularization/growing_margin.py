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
:covers: homogeneous-margin-kkt
:erratum: [wrong] The theorem asks L(theta(t0)) < 1/n for the mean of either loss, "and thus
    y_i f > 0". For the logistic loss that does not follow: n = 1 and y f = -0.5 have the loss
    log(1 + e^0.5) = 0.974 < 1. The threshold is l(0)/n, which is log(2)/n; 1/n is right for the
    exponential loss.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, HeatMap, Hypothesis, Points, at_least, option
from corollary.models.homogeneous import HomogeneousNet
from corollary.theory.regularization.homogeneous import (
    MarginFlow,
    homogeneity_degree,
    margin_flow,
)
from corollary.theory.regularization.margin_losses import EXPONENTIAL, LOGISTIC

LOSSES = {"logistic": LOGISTIC, "exponential": EXPONENTIAL}


class Given(NamedTuple):
    """Labelled points, a network, and the flow that started from it, from t0 on."""

    x: Float[Tensor, "n 2"]
    y: Float[Tensor, " n"]
    net: HomogeneousNet
    flow: MarginFlow
    first: int  # the entry of the flow that counts as t0


class GrowingMargin(Claim[Given]):
    n: int = option(8, low=4, high=100)  # points
    m: int = option(16, low=2, high=200)  # hidden units
    last: float = option(9.0, low=4.0, high=100.0)  # log of the last time
    loss: Literal["logistic", "exponential"] = "logistic"  # of the margin
    step: float = option(0.03, low=0.001, high=0.1)  # of the scheme, in log t
    relation = at_least(ulps=2**30)  # 2e-7: the flow is followed in steps

    def given(self, rng: Generator) -> Given:
        """Clusters around (±1, ±1), labelled by the product of the signs, and a normal start."""
        corners = torch.tensor([[1, 1], [-1, -1], [1, -1], [-1, 1]], dtype=torch.float64)
        centres = corners.repeat(-(-self.n // 4), 1)[: self.n]
        noise = 0.3 * torch.randn(self.n, 2, generator=rng, dtype=torch.float64)
        net = HomogeneousNet([2, self.m, 1], bias="first", rng=rng)
        return self._followed(centres + noise, centres.prod(dim=1), net)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Homogeneity, and a loss so small at t0 that every point is right."""
        x, _, net, flow, first = given
        found = homogeneity_degree(net, x)
        loss, limit = flow.log_loss[first].exp(), LOSSES[self.loss].separating_mean(1)
        detail = f"degree {found.degree:.3g} ± {found.spread:.1g}"
        yield Hypothesis("the network is homogeneous", found.homogeneous, detail)
        yield Hypothesis("at t0 the loss is below ℓ(0)", bool(loss < limit), f"L = {loss:.3g}")

    def predict(self, given: Given) -> list[float]:
        """The margin at each time but the last."""
        return given.flow.smoothed[given.first : -1].tolist()

    def measure(self, given: Given) -> list[float]:
        """The margin one time later."""
        return given.flow.smoothed[given.first + 1 :].tolist()

    def counterexample(self, rng: Generator) -> Given:
        """All labels are +1 and the output has a bias, which alone will do."""
        x = torch.randn(self.n, 2, generator=rng, dtype=torch.float64)
        net = HomogeneousNet([2, 2, 1], bias="output", scale=0.1, rng=rng)
        with torch.no_grad():
            net.layers[-1].b.fill_(0.3)
        return self._followed(x, x.new_ones(self.n), net)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Both margins over time, and what the network has learned."""
        flow, degree = given.flow, given.net.degree
        t = flow.s[given.first :]
        margins = Figure(
            "The margin grows after every point is right",
            x="log t",
            y="margin / ‖θ‖^L",
            marks=(
                Curve(flow.smoothed[given.first :], x=t, label="smoothed margin"),
                Curve(
                    flow.normalised(degree)[given.first :],
                    x=t,
                    label="normalised margin",
                    role="other",
                ),
            ),
        )
        return margins, _picture(given)

    def _followed(self, x: Tensor, y: Tensor, net: HomogeneousNet) -> Given:
        """The flow from t = 1, and its first entry with a loss below ℓ(0) (the second if none)."""
        s = torch.linspace(0, self.last, 13, dtype=torch.float64)
        loss = LOSSES[self.loss]
        flow = margin_flow(net, x, y, s, degree=net.degree, loss=loss, step=self.step)
        small = (flow.log_loss.exp() < loss.separating_mean(1)).nonzero().flatten().tolist()
        return Given(x, y, net, flow, min(small[0] if small else 1, len(s) - 2))


def _picture(given: Given) -> Figure:
    side = torch.linspace(-2, 2, 41, dtype=torch.float64)
    grid = torch.cartesian_prod(side, side)
    theta = given.flow.theta[-1]
    sizes = [p.numel() for p in given.net.parameters()]
    parts = dict(zip(dict(given.net.named_parameters()), theta.split(sizes), strict=True))
    shaped = {k: parts[k].reshape(p.shape) for k, p in given.net.named_parameters()}
    with torch.no_grad():
        value = torch.func.functional_call(given.net, shaped, (grid,)).reshape(41, 41).T
    marks = [HeatMap(torch.tanh(value / 4).tolist(), x=(-2, 2), y=(-2, 2), label="tanh(f/4)")]
    for label, role in ((1, "predicted"), (-1, "measured")):
        chosen = given.x[given.y == label]
        marks.append(Points(chosen[:, 0], chosen[:, 1], label=f"labelled {label:+d}", role=role))
    return Figure("What the network has learned", x="x₁", y="x₂", equal=True, marks=tuple(marks))
