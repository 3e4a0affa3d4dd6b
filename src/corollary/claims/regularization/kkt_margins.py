r"""KKT points of the margin problem need not be optimal.

Two points of one class at an obtuse angle :math:`\varphi`, of length 1, and a network
:math:`f(x)=\sum_{j\le2}v_j\,\mathrm{relu}(\langle w_j,x\rangle)` with :math:`v_j>0`. Gradient flow
from units that see both points ends at one shared direction; from units that see one point each,
every unit keeps to its own. The normalised margins :math:`\min_iq_i/\|\theta\|^2` in the limit are

.. math:: \bar\gamma_{\mathrm{shared}}=\tfrac12\cos\tfrac\varphi2,\qquad
   \bar\gamma_{\mathrm{separate}}=\tfrac14,\qquad\text{of ratio }2\cos\tfrac\varphi2 .

Both are KKT points of :math:`\min\frac12\|\theta\|^2` subject to :math:`q_i\ge1`; for
:math:`\varphi<120°` the first is better. Initialisation decides, not the margin. The linear model
has one limit only.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, after Theorem 73; Vardi,
    Shamir and Srebro (2022), "On margin maximization in linear and ReLU networks".
:kind: experiment
:cost: seconds
:uses: homogeneous_kkt
:covers: kkt-point-not-optimal
:scale-free: the ratio of two margins is compared.
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, converges, normal, option, uniform
from corollary.models.homogeneous import HomogeneousNet
from corollary.theory.regularization.homogeneous import MarginFlow, margin_flow

TIMES = (1.0, 2.0, 8.0, 32.0)  # log t


class Given(NamedTuple):
    x: Float[Tensor, "2 2"]  # two points
    shared: Float[Tensor, "2 2"]  # first-layer weights of one start, one unit per row
    separate: Float[Tensor, "2 2"]  # and of the other


def _at(angles: Tensor) -> Tensor:
    return torch.stack([angles.cos(), angles.sin()], dim=1)


class KktMargins(Claim[Given]):
    angle: float = option(100.0, low=95.0, high=115.0)  # angle between the two points, in degrees
    step: float = option(0.1, low=0.01, high=0.2)  # step of the scheme, in log t

    relation = converges(gap=0.02)  # of the ratio; starts of size 0.1 are forgotten like 1/log t
    supposes = (
        Suppose(
            "the points are at an obtuse angle",
            lambda g: -(g.x[0] @ g.x[1]),
            "If the angle is acute, the units of both starts converge to the same direction.",
            x=lambda g: torch.nn.functional.normalize(g.x + g.x.sum(dim=0)),
        ),
        Suppose(
            "every unit of the first start is active on both points",
            lambda g: (g.x @ g.shared.T).min(),
            "In both starts each unit is active on one point only, and the margins are equal.",
            shared=lambda g: g.separate,
        ),
        Suppose(
            "every unit of the second start is active on one point only",
            lambda g: bool(((g.x @ g.separate.T > 0) == torch.eye(2, dtype=torch.bool)).all()),
            "In both starts each unit is active on both points, and the margins are equal.",
            separate=lambda g: g.shared,
        ),
    )
    symbols = "2 cos(φ/2)", "margin of the shared start / of the separate start"
    shows = Over("Two starts, two margins, both KKT points", x="log t")

    def given(self, rng: Generator) -> Given:
        phi, turn = math.radians(self.angle), 2 * math.pi * float(uniform(rng, 1))
        noise, half = 0.05 * normal(rng, 4), torch.tensor([-phi / 2, phi / 2], dtype=torch.float64)
        beyond = half.sign() * (phi / 2 + 0.2)
        shared, separate = 0.1 * _at(noise[:2] + turn), 0.1 * _at(beyond + noise[2:] + turn)
        return Given(_at(half + turn), shared, separate)

    def predict(self, given: Given) -> float:
        cosine = float(given.x[0] @ given.x[1])
        return 2 * math.sqrt((1 + cosine) / 2)

    def measure(self, given: Given) -> Series:
        x, *starts = given
        first, second = (self.flow(x, w).normalised(2) for w in starts)
        return Series(TIMES, first / second)

    def flow(self, x: Tensor, w: Tensor) -> MarginFlow:
        """From first-layer weights w, each unit's two weights of one length."""
        net = HomogeneousNet([2, 2, 1], rng=torch.Generator())
        with torch.no_grad():
            net.get_parameter("layers.0.W").copy_(w)
            net.get_parameter("layers.1.W").copy_(w.norm(dim=1)[None])
        s = torch.tensor(TIMES, dtype=torch.float64)
        return margin_flow(net, x, x.new_ones(2), s, degree=2, step=self.step)
