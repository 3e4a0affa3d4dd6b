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
:covers: kkt-point-not-optimal, svm-kkt-conditions
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Series, converges, option
from corollary.models.homogeneous import HomogeneousNet
from corollary.theory.regularization.homogeneous import MarginFlow, margin_flow

TIMES = (4.0, 8.0, 16.0, 32.0)  # log t


class Given(NamedTuple):
    """Two points, and the first-layer weights of two starts with the flows from them."""

    x: Float[Tensor, "2 2"]
    shared: Float[Tensor, "2 2"]  # one unit a row
    separate: Float[Tensor, "2 2"]
    flows: tuple[MarginFlow, MarginFlow]


class KktMargins(Claim[Given]):
    angle: float = option(100.0, low=95.0, high=115.0)  # between the two points, in degrees
    step: float = option(0.1, low=0.01, high=0.2)  # of the scheme, in log t
    relation = converges(gap=0.02)  # of the ratio; starts of size 0.1 are forgotten like 1/log t

    def given(self, rng: Generator) -> Given:
        """Units near the middle of the points, and units beyond either of them."""
        return self._followed(rng, beyond=0.2)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Who sees whom at the start."""
        x, shared, separate, _ = given
        together, apart = x @ shared.T > 0, x @ separate.T > 0
        yield Hypothesis("the points are at an obtuse angle", bool(x[0] @ x[1] < 0))
        yield Hypothesis("every unit of the first start sees both points", bool(together.all()))
        yield Hypothesis(
            "every unit of the second start sees its own point only",
            bool((apart == torch.eye(2, dtype=torch.bool)).all()),
        )

    def predict(self, given: Given) -> float:
        """The ratio of the margins."""
        cosine = float(given.x[0] @ given.x[1])
        return 2 * math.sqrt((1 + cosine) / 2)

    def measure(self, given: Given) -> Series:
        """The same along the two flows."""
        first, second = (flow.normalised(2) for flow in given.flows)
        return Series(TIMES, first / second)

    def counterexample(self, rng: Generator) -> Given:
        """The units of the second start see both points too."""
        return self._followed(rng, beyond=-0.6)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Margins over time, and the units in the plane."""
        shared, separate = given.flows
        best = 0.25 * self.predict(given)
        s = torch.tensor(TIMES)
        margins = Figure(
            "Two starts, two margins, both KKT points",
            x="log t",
            y="min q / ‖θ‖²",
            log_x=True,
            marks=(
                Level(best, label="½ cos(φ/2)"),
                Level(0.25, label="1/4"),
                Curve(shared.normalised(2), x=s, label="units that see both points"),
                Curve(separate.normalised(2), x=s, label="units that see one each", dashed=True),
            ),
        )
        return margins, _plane(given)

    def _followed(self, rng: Generator, *, beyond: float) -> Given:
        phi = math.radians(self.angle)
        turn = 2 * math.pi * float(torch.rand(1, generator=rng))
        noise = 0.05 * torch.randn(4, generator=rng, dtype=torch.float64)
        half = torch.tensor([-phi / 2, phi / 2], dtype=torch.float64)
        x = _at(half + turn)
        shared = 0.1 * _at(noise[:2] + turn)
        outward = half.sign() * (phi / 2 + beyond)
        separate = 0.1 * _at(outward + noise[2:] + turn)
        flows = tuple(self._flow(x, w, rng) for w in (shared, separate))
        return Given(x, shared, separate, flows)

    def _flow(self, x: Tensor, w: Tensor, rng: Generator) -> MarginFlow:
        net = HomogeneousNet([2, 2, 1], rng=rng)
        with torch.no_grad():  # balanced: each unit's two weights have one length
            net.layers[0].W.copy_(w)
            net.layers[1].W.copy_(w.norm(dim=1)[None])
        s = torch.tensor(TIMES, dtype=torch.float64)
        return margin_flow(net, x, x.new_ones(2), s, degree=2, step=self.step)


def _at(angles: Tensor) -> Tensor:
    return torch.stack([angles.cos(), angles.sin()], dim=1)


def _plane(given: Given) -> Figure:
    marks = [
        Curve([0, float(p[1])], x=[0, float(p[0])], label=f"point {i + 1}", role="other")
        for i, p in enumerate(given.x)
    ]
    for flow, name, dashed in zip(given.flows, ("shared", "separate"), (False, True), strict=True):
        units = flow.theta[-1][:4].reshape(2, 2)
        units = 0.8 * units / units.norm(dim=1, keepdim=True)
        for j, u in enumerate(units):
            label = f"{name} unit {j + 1}"
            marks.append(Curve([0, float(u[1])], x=[0, float(u[0])], label=label, dashed=dashed))
    return Figure(
        "Where the units point in the end", x="x₁", y="x₂", equal=True, marks=tuple(marks)
    )
