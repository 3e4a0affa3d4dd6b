r"""Smoothness bounds the Hessian.

If f is twice continuously differentiable and L-smooth,
:math:`\|\nabla f(x)-\nabla f(y)\|\le L\|x-y\|`, then at every x

.. math:: |\lambda_i(H(x))|\le L\quad\text{for all }i,\qquad\|H(x)\|_2\le L,

and at a local minimiser :math:`0\preceq H(x^*)\preceq L\,I`. For
:math:`f(x)=\sum_i\sin(a_ix_i)` the smallest such L is :math:`\max_ia_i^2`.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 1.3.6 and 1.7, Problem 3.
:kind: bound
:cost: instant
:covers: smooth-hessian-bound
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, Histogram, Hypothesis, Level, at_most, option
from corollary.theory.prerequisites.hessians import hessian
from corollary.theory.prerequisites.lipschitz import batch_gradient, steepest_secant
from corollary.theory.prerequisites.smoothness import hessian_spectrum_bound_check


class Given(NamedTuple):
    """Frequencies, points, and the constant that is said to be enough."""

    a: Float[Tensor, " d"]
    points: Float[Tensor, "n d"]
    L: float


class SmoothSpectrum(Claim[Given]):
    d: int = option(3, low=1, high=20)  # dimension
    n: int = option(60, low=2, high=1000)  # points
    relation = at_most(ulps=64)  # eigenvalues of a small matrix

    def given(self, rng: Generator) -> Given:
        """Frequencies between 1 and 3; points over several periods."""
        a = 1 + 2 * torch.rand(self.d, generator=rng, dtype=torch.float64)
        points = 6 * torch.rand(self.n, self.d, generator=rng, dtype=torch.float64) - 3
        return Given(a, points, float(a.max() ** 2))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Quotients of gradients, over pairs that are near in one coordinate."""
        steepest = _steepest(given)
        detail = f"steepest quotient {steepest:.4g}, L = {given.L:.4g}"
        yield Hypothesis("the gradient is L-Lipschitz", steepest <= given.L * (1 + 1e-9), detail)

    def predict(self, given: Given) -> float:
        """L."""
        return given.L

    def measure(self, given: Given) -> float:
        """The largest modulus of an eigenvalue."""
        f = _waves(given)
        return hessian_spectrum_bound_check(lambda x: f(x[None])[0], given.points, given.L).largest

    def counterexample(self, rng: Generator) -> Given:
        """A constant that is too small by half."""
        full = self.given(rng)
        return full._replace(L=full.L / 2)

    def figure(self, given: Given) -> Figure:
        """All eigenvalues at all points, within [-L, L]."""
        f = _waves(given)
        H = torch.stack([hessian(lambda x: f(x[None])[0], x) for x in given.points])
        return Figure(
            "The spectrum of an L-smooth function lies in [−L, L]",
            x="eigenvalues λᵢ(H(x))",
            y="density over points x",
            marks=(
                Histogram(torch.linalg.eigvalsh(H).flatten(), label="eigenvalues", bins=30),
                Level(given.L, label="L", axis="x"),
                Level(-given.L, label="−L", axis="x"),
            ),
        )


def _waves(given: Given):
    return lambda x: torch.sin(x * given.a).sum(dim=1)


def _steepest(given: Given) -> float:
    near = given.points.repeat(len(given.a), 1)
    axes = torch.eye(len(given.a), dtype=torch.float64).repeat_interleave(len(given.points), dim=0)
    f = _waves(given)
    return steepest_secant(lambda x: batch_gradient(f, x), near, near + 0.01 * axes).slope
