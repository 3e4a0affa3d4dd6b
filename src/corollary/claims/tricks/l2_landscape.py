r"""A squared (L2) penalty is a constraint of the weights to a ball.

For a quadratic loss :math:`\ell` in the plane, the minimiser :math:`\theta_\mu` of
:math:`\ell+\frac\mu2\|\theta\|^2` lies where a contour of the loss touches a circle: it also
minimises :math:`\ell` over the ball

.. math:: \|\theta\|\le r(\mu)=\|\theta_\mu\| ,

whose radius falls as :math:`\mu` grows. Along :math:`\mu` the optimum runs on
:math:`\operatorname{diag}(\lambda_i/(\lambda_i+\mu))\theta^*` from :math:`\theta^*` to 0, first in
the direction of small curvature.

:source: Perez Jensen (2025), Deep Learning, Section 8.2, Figure 8.1.
:kind: identity
:uses: weight_decay_shrinkage
:covers: l2-landscape-figure, weight-decay
:erratum: [wrong] The notes give the constraint as ||theta|| <= mu; the radius depends on loss and
    data, and falls with mu. The counterexample takes mu for the radius.
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, option, uniform
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.theory.tricks.weight_decay import ball_radius, shrinkage, weight_decay_solution


class Given(NamedTuple):
    H: Float[Tensor, "2 2"]  # Hessian
    theta_star: Float[Tensor, " 2"]  # minimiser
    mu: float  # decay
    radius: float  # of a ball


def right_radius(given: Given) -> tuple[bool, str]:
    """Whether the ball reaches just to the penalised optimum."""
    penalised = given.H + given.mu * torch.eye(2, dtype=torch.float64)
    right = float(torch.linalg.solve(penalised, given.H @ given.theta_star).norm())
    return abs(given.radius - right) < 1e-9, f"{given.radius:.3g} against {right:.3g}"


class L2Landscape(Claim[Given]):
    low: float = option(0.4, low=0.05, high=1.0)  # small curvature
    high: float = option(4.0, low=1.0, high=20.0)  # large curvature
    mu: float = option(1.0, low=0.05, high=20.0)  # decay

    relation = equals(ulps=2**30, scale=1.0)  # the ball is searched to 1e-8
    supposes = Suppose(
        "the radius is the length of the penalised optimum",
        right_radius,
        "If the radius is the decay μ itself, as printed in the notes, the best point differs.",
        radius=lambda g: g.mu,
    )
    symbols = "penalised optimum", "best point of the ball"
    rows = "θ₁", "θ₂"

    def given(self, rng: Generator) -> Given:
        turn = float(uniform(rng)) * math.pi / 2
        c, s = math.cos(turn), math.sin(turn)
        Q = torch.tensor([[c, -s], [s, c]], dtype=torch.float64)
        H = (Q * torch.tensor([self.low, self.high], dtype=torch.float64)) @ Q.T
        theta = Q @ torch.tensor([2.0, 1.5], dtype=torch.float64)
        return Given(H, theta, self.mu, ball_radius(H, theta, self.mu))

    def predict(self, given: Given) -> Tensor:
        return weight_decay_solution(given.H, given.theta_star, given.mu)

    def measure(self, given: Given) -> Tensor:
        theta = torch.zeros_like(given.theta_star)
        eta = 1 / float(torch.linalg.eigvalsh(given.H)[-1])
        for _ in range(600):
            theta = theta - eta * given.H @ (theta - given.theta_star)
            theta = theta * min(1.0, given.radius / max(float(theta.norm()), 1e-300))
        return theta

    @picture("A quadratic loss with a squared penalty", x="θ₁", y="θ₂", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        given, optimum = trial.given, trial.predicted
        values, Q = torch.linalg.eigh(given.H)
        mus = torch.logspace(-3, 3, 120, dtype=torch.float64).tolist()
        way = torch.stack([Q @ (shrinkage(values, m) * (Q.T @ given.theta_star)) for m in mus])
        turn = torch.linspace(0, 2 * math.pi, 121, dtype=torch.float64)
        circle = torch.stack([turn.cos(), turn.sin()])
        off = optimum - given.theta_star
        for share, label in ((1.0, "loss that is reached"), (0.3, "lower loss")):
            axes = (share * float(off @ given.H @ off) / values).sqrt()[:, None]
            at = given.theta_star[:, None] + Q @ (circle * axes)
            yield Curve(at[1], at[0], label=label, role="other", dashed=share < 1)
        x, y = given.radius * circle
        yield Curve(y, x, "‖θ‖ = r(μ)", "predicted")
        yield Curve(way[:, 1], way[:, 0], label="θ_μ for all μ", role="predicted", dashed=True)
        yield Points(given.theta_star[:1], given.theta_star[1:], "θ*", "other")
        yield Points(trial.measured[:1], trial.measured[1:], label="best point of the ball")
