r"""Smoothness bounds the Hessian.

If f is twice continuously differentiable and L-smooth,
:math:`\|\nabla f(x)-\nabla f(y)\|\le L\|x-y\|`, then at every x

.. math:: |\lambda_i(H(x))|\le L\quad\text{for all }i,\qquad\|H(x)\|_2\le L,

and at a local minimiser :math:`0\preceq H(x^*)\preceq L\,I`. For
:math:`f(x)=\sum_i\sin(a_ix_i)` the smallest such L is :math:`\max_ia_i^2`.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 1.3.6 and 1.7, Problem 3.
:kind: bound
:uses: smooth_iff_curvature, rayleigh_quotient
:covers: smooth-hessian-bound
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, option, uniform
from corollary.theory.prerequisites.lipschitz import batch_gradient
from corollary.theory.prerequisites.smoothness import hessian_spectrum_bound_check


class Given(NamedTuple):
    a: Float[Tensor, " d"]  # frequencies
    points: Float[Tensor, "n d"]
    L: float  # the constant that is said to be enough


def _wave(given: Given, x: Tensor) -> Tensor:
    return torch.sin(x * given.a).sum(dim=-1)


def _steepest(given: Given) -> float:
    """The steepest quotient of gradients, over pairs that are near in one coordinate."""
    near = given.points[:, None] + 0.01 * torch.eye(len(given.a), dtype=torch.float64)
    here, there = (
        batch_gradient(lambda x: _wave(given, x), x) for x in (given.points, near.flatten(0, 1))
    )
    rise = there.unflatten(0, near.shape[:2]) - here[:, None]
    return float(rise.norm(dim=2).max()) / 0.01


class SmoothSpectrum(Claim[Given]):
    d: int = option(3, low=1, high=20)  # dimension
    n: int = option(60, low=2, high=1000)  # points

    relation = at_most(ulps=64)  # eigenvalues of a small matrix
    supposes = Suppose(
        "the gradient is L-Lipschitz",
        lambda g: g.L * (1 + 1e-9) - _steepest(g),
        "The stated L is half of the true constant.",
        L=lambda g: g.L / 2,
    )
    symbols = "L", "‖H(x)‖₂"
    shows = Along("The Hessian of an L-smooth function is at most L", x="point x")

    def given(self, rng: Generator) -> Given:
        a = 1 + 2 * uniform(rng, self.d)
        return Given(a, 6 * uniform(rng, self.n, self.d) - 3, float(a.max() ** 2))

    def predict(self, given: Given) -> list[float]:
        return [given.L] * len(given.points)

    def measure(self, given: Given) -> list[float]:
        return [
            hessian_spectrum_bound_check(lambda x: _wave(given, x), x[None], given.L).largest
            for x in given.points
        ]
