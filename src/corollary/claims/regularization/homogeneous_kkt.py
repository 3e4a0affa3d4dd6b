r"""Training of homogeneous networks converges to a KKT point of the margin problem.

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
:uses: growing_margin, support_vector_kkt
:covers: homogeneous-margin-kkt
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, converges, normal, option
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
    x: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]  # labels
    net: HomogeneousNet
    loss: MarginLoss
    flow: MarginFlow  # from that network


class HomogeneousKkt(Claim[Given]):
    n: int = option(10, low=2, high=100)  # points
    d: int = option(4, low=2, high=20)  # inputs
    m: int = option(6, low=2, high=100)  # hidden units
    step: float = option(0.15, low=0.01, high=0.2)  # step of the scheme, in log t

    relation = converges(gap=0.03)  # slackness falls like 1/log t
    supposes = (
        Suppose("the network is homogeneous", lambda g: homogeneity_degree(g.net, g.x).homogeneous),
        Suppose(
            "the loss has a tight exponential tail",
            lambda g: (tail_check(g.loss).tight, g.loss.name),
            "If the tail of the loss is polynomial, points with a larger margin keep their weight.",
            lambda self, g: self.followed(g.x, g.y, g.net, POLYNOMIAL_TAIL),
        ),
        Suppose("at some time every point is classified correctly", lambda g: g.flow.q[0].min()),
    )
    symbols = "0", "missing alignment and slackness"
    predicts = 0.0
    shows = Over("Both KKT conditions are met in the end", x="log t", log="xy")

    def given(self, rng: Generator) -> Given:
        z = normal(rng, self.n, self.d)
        z[:, 0] = 0
        z = 0.8 * z / z.norm(dim=1, keepdim=True).clamp(min=1)
        z[:, 0] = 1  # two opposite cones: inner products at least 1 - 0.64
        y = torch.where(torch.arange(self.n) % 2 == 0, 1.0, -1.0).double()
        net = HomogeneousNet([self.d, self.m, 1], scale=0.3, rng=rng)
        with torch.no_grad():  # both signs at the output, so that both classes have units
            v = net.get_parameter("layers.1.W")
            v[:, ::2], v[:, 1::2] = v[:, ::2].abs(), -v[:, 1::2].abs()
        return self.followed(y[:, None] * z, y, net, EXPONENTIAL)

    def followed(self, x: Tensor, y: Tensor, net: HomogeneousNet, loss: MarginLoss) -> Given:
        """The flow from a network, at the times."""
        s = torch.tensor(TIMES, dtype=torch.float64)
        return Given(
            x, y, net, loss, margin_flow(net, x, y, s, degree=2, loss=loss, step=self.step)
        )

    def measure(self, given: Given) -> Series:
        return Series(TIMES, given.flow.kkt)
