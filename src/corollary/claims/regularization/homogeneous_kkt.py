r"""Homogeneous networks end at a KKT point of the margin problem.

Gradient flow on a loss with an exponential tail, for a homogeneous network that at some time has
every point right: :math:`\theta/\|\theta\|` converges to the direction of a KKT point of

.. math:: \min_\theta\tfrac12\|\theta\|^2\quad\text{s.t.}\quad q_i=y_if(\theta;x_i)\ge1 .

That is: :math:`\theta` becomes a combination :math:`\sum_i\lambda_i\nabla q_i` with
:math:`\lambda\ge0`, and only points of smallest margin keep weight. The claim measures what is
missing of both,

.. math:: 1-\cos\Bigl(\theta,\sum_i\lambda_i\nabla q_i\Bigr)
   +\frac{\sum_i\lambda_i(q_i/\min_jq_j-1)}{\sum_i\lambda_i}\to0,\qquad\lambda_i=-\ell'(q_i),

on points whose inner products, labels multiplied in, are positive (orthogonally separable). A
polynomial tail satisfies the first condition and not the second. KKT is of first order: nothing
says that the margin is the largest there is.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, Theorem 73; Lyu and Li (2020),
    "Gradient descent maximizes the margin of homogeneous neural networks"; Ji and Telgarsky (2020),
    "Directional convergence and alignment in deep learning"; Phuong and Lampert (2021), "The
    inductive bias of ReLU networks on orthogonally separable data".
:kind: limit
:cost: seconds
:covers: homogeneous-margin-kkt
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Series, converges, option
from corollary.models.homogeneous import HomogeneousNet
from corollary.theory.regularization.homogeneous import MarginFlow, homogeneity_degree, margin_flow
from corollary.theory.regularization.margin_losses import (
    EXPONENTIAL,
    POLYNOMIAL_TAIL,
    MarginLoss,
    tail_check,
)

TIMES = (5.0, 10.0, 20.0, 40.0, 60.0)  # log t


class Given(NamedTuple):
    """Labelled points, a network, a loss, and the flow from that network."""

    x: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    net: HomogeneousNet
    loss: MarginLoss
    flow: MarginFlow


class HomogeneousKkt(Claim[Given]):
    n: int = option(10, low=2, high=100)  # points
    d: int = option(4, low=2, high=20)  # inputs
    m: int = option(6, low=2, high=100)  # hidden units
    step: float = option(0.15, low=0.01, high=0.2)  # of the scheme, in log t
    relation = converges(gap=0.03)  # slackness falls like 1/log t

    def given(self, rng: Generator) -> Given:
        """Two opposite cones of points, and a small normal start."""
        return self._followed(rng, EXPONENTIAL)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Homogeneity, the tail, and that every point became right."""
        x, _, net, loss, flow = given
        least = float(flow.q[0].min())
        yield Hypothesis("the network is homogeneous", homogeneity_degree(net, x).homogeneous)
        yield Hypothesis("the loss has a tight exponential tail", tail_check(loss).tight, loss.name)
        yield Hypothesis("at some time every point is right", least > 0, f"min q = {least:.3g}")

    def predict(self, given: Given) -> float:
        """Nothing is missing in the end."""
        return 0.0

    def measure(self, given: Given) -> Series:
        """Alignment and slackness together."""
        return Series(TIMES, given.flow.kkt)

    def counterexample(self, rng: Generator) -> Given:
        """A loss with a polynomial tail."""
        return self._followed(rng, POLYNOMIAL_TAIL)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The two parts of the residual, and the margins of all points."""
        flow = given.flow
        residual = Figure(
            "Both KKT conditions are met in the end",
            x="log t",
            y="what is missing",
            log_x=True,
            log_y=True,
            marks=(
                Curve(1 - flow.alignment, x=flow.s, label="1 − cos(θ, Σ λ ∇q)"),
                Curve(flow.slackness, x=flow.s, label="slackness", dashed=True),
                Curve(1 / flow.s, x=flow.s, label="1/log t", role="predicted"),
            ),
        )
        scaled = flow.q / flow.norm[:, None] ** given.net.degree
        nearest = scaled[-1].argsort()[:4].tolist()
        margins = Figure(
            "The smallest margins meet",
            x="log t",
            y="q / ‖θ‖^L",
            marks=(
                *(
                    Curve(scaled[:, i], x=flow.s, label=f"point {i + 1}", dashed=i != nearest[0])
                    for i in nearest
                ),
                Level(float(scaled[-1].min()), label="smallest at the end", role="predicted"),
            ),
        )
        return residual, margins

    def _followed(self, rng: Generator, loss: MarginLoss) -> Given:
        z = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        z[:, 0] = 0
        z = 0.8 * z / z.norm(dim=1, keepdim=True).clamp(min=1)
        z[:, 0] = 1  # inner products at least 1 - 0.64
        y = torch.where(torch.arange(self.n) % 2 == 0, 1.0, -1.0).double()
        net = HomogeneousNet([self.d, self.m, 1], scale=0.3, rng=rng)
        with torch.no_grad():  # both signs at the output, so that both classes have units
            v = net.layers[-1].W
            v[:, ::2], v[:, 1::2] = v[:, ::2].abs(), -v[:, 1::2].abs()
        x, s = y[:, None] * z, torch.tensor(TIMES, dtype=torch.float64)
        flow = margin_flow(net, x, y, s, degree=2, loss=loss, step=self.step)
        return Given(x, y, net, loss, flow)
