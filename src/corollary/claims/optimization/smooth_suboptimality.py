r"""A large gradient implies a large suboptimality for smooth functions.

If f is L-smooth and :math:`x^*` a global minimiser, then for all x

.. math:: f(x)-f(x^*)\ge\frac{\|\nabla f(x)\|^2}{2L},

with equality for :math:`\frac L2\|x\|^2`: a gradient step of size 1/L can always be taken, and it
cannot lead below the minimum.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 36.
:kind: bound
:uses: descent_lemma
:covers: smooth-suboptimality-gradient
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import Function
from corollary.core import Claim, Parity, Suppose, at_least, normal, option
from corollary.theory.optimization.newton import newton
from corollary.theory.optimization.objectives import sine_valley
from corollary.theory.optimization.smoothness_bounds import suboptimality_from_gradient
from corollary.theory.prerequisites.gradients import gradient
from corollary.theory.prerequisites.smoothness import hessian_norm


class Given(NamedTuple):
    f: Function
    L: float  # what is taken for the smoothness of f
    xstar: Float[Tensor, " d"]  # what is taken for its minimiser
    x: Float[Tensor, "n d"]


def local_minimum() -> Given:
    """x* is a local minimum that is not global."""

    def f(x: Tensor) -> Tensor:
        return (x.square() / 20 + 1 - torch.cos(x)).sum()

    start = torch.tensor([2 * math.pi], dtype=torch.float64)
    x = torch.linspace(-3, 9, 61, dtype=torch.float64)[:, None]
    return Given(f, 1.1, newton(f, start, steps=10, tol=1e-14).x[-1], x)


class SmoothSuboptimality(Claim[Given]):
    n: int = 60  # points
    d: int = 2  # dimension
    spread: float = option(2.0, low=0.01, high=100.0)  # size of the points

    relation = at_least(ulps=64)  # squares of coordinates and of gradients
    supposes = (
        Suppose(
            "x* is a global minimum",
            lambda g: bool(torch.vmap(g.f)(g.x).min() >= g.f(g.xstar)),
            without=local_minimum,
        ),
        Suppose(
            "f is L-smooth at the points",
            lambda g: g.L * (1 + 1e-9) - max(hessian_norm(g.f, x) for x in g.x),
            "The curvature is eight times as large as stated.",
            L=1.0,
        ),
    )
    symbols = "‖∇f(x)‖²/(2L)", "f(x) − f(x*)"
    shows = Parity("Suboptimality and squared gradient of a smooth function", without=False)

    def given(self, rng: Generator) -> Given:
        o, near = sine_valley(self.d), torch.linspace(0.01, 1, self.n, dtype=torch.float64)
        x = self.spread * near[:, None] * normal(rng, self.n, self.d)
        return Given(o.f, o.L, o.minimiser, x)

    def predict(self, given: Given) -> list[float]:
        return [suboptimality_from_gradient(gradient(given.f, x), given.L) for x in given.x]

    def measure(self, given: Given) -> list[float]:
        return (torch.vmap(given.f)(given.x) - given.f(given.xstar)).tolist()

    def tight(self) -> Given:
        """A round bowl."""
        x = torch.tensor([[3.0, 4.0]], dtype=torch.float64)
        return Given(lambda x: 2.5 * x.square().sum(), 5.0, 0 * x[0], x)
