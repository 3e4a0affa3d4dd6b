r"""Strong convexity: the function lies above its tangent by a parabola.

If the smallest eigenvalue of the Hessian is at least :math:`\mu` on the way from x to
:math:`x+\delta`, then f lies above its tangent by at least a parabola of that curvature,

.. math:: f(x+\delta)\ge f(x)+\nabla f(x)^\top\delta+\frac\mu2\|\delta\|^2 ,

with equality for a quadratic along its flattest direction. For the logistic loss with a ridge
:math:`\lambda` the eigenvalue is at least :math:`\lambda` everywhere.

:source: Lucchi (2025), Foundations of Deep Learning, Definition 20 and Section 5.5.
:kind: bound
:uses: tangent_below, second_order_remainder
:covers: strong-convexity
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import Function, logistic
from corollary.core import Claim, Parity, Suppose, at_least, near, normal, option
from corollary.theory.optimization.convexity import strong_convexity_constant
from corollary.theory.prerequisites.gradients import gradient

WAY = torch.linspace(0, 1, 9, dtype=torch.float64)[:, None]  # shares of a step


class Given(NamedTuple):
    f: Function
    x: Float[Tensor, "n d"]
    delta: Float[Tensor, "n d"]  # steps
    seen: Float[Tensor, "n k d"]  # where the curvature is looked at, for each step

    def ends(self) -> Float[Tensor, "n d"]:
        """Where the steps lead."""
        return self.x + self.delta


class StrongConvexity(Claim[Given]):
    n: int = option(30, low=1, high=1000)  # steps
    d: int = option(3, low=1, high=20)  # dimension
    points: int = 30  # data points of the logistic loss
    lam: float = option(0.05, low=1e-3, high=10.0)  # ridge penalty of the logistic loss

    relation = at_least(ulps=2**10, scale=1.0)  # values of size 1; eigenvalues to rounding
    supposes = Suppose(
        "the curvature is evaluated along the whole step",
        lambda g: near(torch.stack([g.seen[:, 0], g.seen[:, -1]]), torch.stack([g.x, g.ends()])),
        "The curvature is taken at the start of each step only, where it is larger than further "
        "on.",
        seen=lambda g: g.x[:, None],
    )
    symbols = "f(x) + ∇f(x)ᵀδ + μ/2 ‖δ‖²", "f(x + δ)"
    shows = Parity("The function lies above its tangent by a parabola", without=False)

    def given(self, rng: Generator) -> Given:
        f = logistic(self.points, self.d, self.lam, rng).f
        x, delta = 0.3 * normal(rng, self.n, self.d), 6 * normal(rng, self.n, self.d)
        return Given(f, x, delta, x[:, None] + WAY * delta[:, None])

    def predict(self, given: Given) -> list[float]:
        def bound(x: Tensor, delta: Tensor, seen: Tensor) -> float:
            mu = strong_convexity_constant(given.f, seen).value
            return float(given.f(x) + gradient(given.f, x) @ delta + mu / 2 * delta.square().sum())

        return [bound(*row) for row in zip(given.x, given.delta, given.seen, strict=True)]

    def measure(self, given: Given) -> list[float]:
        return torch.vmap(given.f)(given.ends()).tolist()

    def tight(self) -> Given:
        """A quadratic, from its minimiser along its flattest direction."""
        flat = torch.tensor([[0.0, 2.0]], dtype=torch.float64)
        x, curvature = 0 * flat, flat.new_tensor([5.0, 0.5])
        return Given(lambda x: (curvature * x.square()).sum() / 2, x, flat, (WAY * flat)[None])
