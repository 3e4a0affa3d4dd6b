r"""Landscape with a squared penalty.

For a quadratic loss :math:`\ell` in the plane, the minimiser :math:`\theta_\mu` of
:math:`\ell+\frac\mu2\|\theta\|^2` lies where a contour of the loss touches a circle: it also
minimises :math:`\ell` over the ball

.. math:: \|\theta\|\le r(\mu)=\|\theta_\mu\| ,

whose radius falls as :math:`\mu` grows. Along :math:`\mu` the optimum runs on
:math:`\operatorname{diag}(\lambda_i/(\lambda_i+\mu))\theta^*` from :math:`\theta^*` to 0, first in
the direction of small curvature.

:source: Perez Jensen (2025), Deep Learning, Section 8.2, Figure 8.1.
:kind: experiment
:cost: instant
:covers: l2-landscape-figure, weight-decay
:erratum: [wrong] The notes give the constraint as ||theta|| <= mu; the radius depends on loss and
    data, and falls with mu. The counterexample takes mu for the radius.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.tricks.weight_decay import ball_radius, shrinkage, weight_decay_solution


class Given(NamedTuple):
    """Hessian, minimiser, decay and the radius of a ball."""

    H: Float[Tensor, "2 2"]
    theta_star: Float[Tensor, " 2"]
    mu: float
    radius: float


@dataclass(frozen=True)
class L2Landscape(Claim[Given]):
    """The penalised optimum against the best point of a ball."""

    low: float = option(0.4, low=0.05, high=1.0)  # small curvature
    high: float = option(4.0, low=1.0, high=20.0)  # large curvature
    mu: float = option(1.0, low=0.05, high=20.0)  # decay
    relation = equals(ulps=2**30, scale=1.0)  # the ball is searched to 1e-8

    def given(self, rng: Generator) -> Given:
        """A turned valley, and the radius of the theorem."""
        turn = float(torch.rand((), generator=rng)) * math.pi / 2
        Q = torch.tensor(
            [[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]],
            dtype=torch.float64,
        )
        H = (Q * torch.tensor([self.low, self.high], dtype=torch.float64)) @ Q.T
        theta = Q @ torch.tensor([2.0, 1.5], dtype=torch.float64)
        return Given(H, theta, self.mu, ball_radius(H, theta, self.mu))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The radius."""
        right = ball_radius(given.H, given.theta_star, given.mu)
        yield Hypothesis(
            "the radius is the length of the penalised optimum",
            abs(given.radius - right) < 1e-12, f"{given.radius:.3g} against {right:.3g}",
        )  # fmt: skip

    def predict(self, given: Given) -> list[float]:
        """The penalised optimum."""
        return weight_decay_solution(given.H, given.theta_star, given.mu).tolist()

    def measure(self, given: Given) -> list[float]:
        """The best point of the ball, by projected gradient descent."""
        theta = torch.zeros_like(given.theta_star)
        eta = 1 / float(torch.linalg.eigvalsh(given.H)[-1])
        for _ in range(600):
            theta = theta - eta * given.H @ (theta - given.theta_star)
            theta = theta * min(1.0, given.radius / max(float(theta.norm()), 1e-300))
        return theta.tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The decay itself taken for the radius."""
        return self.given(rng)._replace(radius=self.mu)

    def figure(self, given: Given) -> Figure:
        """Contours of loss and penalty, the shifted optimum and its way."""
        values, Q = torch.linalg.eigh(given.H)
        optimum = weight_decay_solution(given.H, given.theta_star, given.mu)
        mus = torch.logspace(-3, 3, 120, dtype=torch.float64).tolist()
        way = torch.stack([Q @ (shrinkage(values, m) * (Q.T @ given.theta_star)) for m in mus])
        turn = torch.linspace(0, 2 * math.pi, 121, dtype=torch.float64)
        circle = torch.stack([turn.cos(), turn.sin()])
        marks: list[Curve | Points] = []
        off = optimum - given.theta_star
        touching = float(off @ given.H @ off)
        for share, label in ((1.0, "loss that is reached"), (0.3, "lower loss")):
            at = given.theta_star[:, None] + Q @ (
                circle * (share * touching / values).sqrt()[:, None]
            )
            marks.append(Curve(at[1], at[0], label=label, role="other", dashed=share < 1))
        marks += [
            Curve(given.radius * circle[1], given.radius * circle[0], "‖θ‖ = r(μ)", "predicted"),
            Curve(way[:, 1], way[:, 0], label="θ_μ for all μ", role="predicted", dashed=True),
            Points([float(given.theta_star[0])], [float(given.theta_star[1])], "θ*", "other"),
            Points(*([v] for v in self.measure(given)), label="best point of the ball"),
        ]
        return Figure(
            "A quadratic loss with a squared penalty", x="θ₁", y="θ₂", equal=True,
            marks=tuple(marks),
        )  # fmt: skip
