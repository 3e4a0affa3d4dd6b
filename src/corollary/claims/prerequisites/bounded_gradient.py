r"""Bounded gradient implies Lipschitz.

If f is differentiable on a convex set and :math:`\|\nabla f\|\le L` there, then

.. math:: |f(x)-f(y)|\le L\,\|x-y\|.

Convexity is needed: on a plane that is cut along a half-line and has a hole around the origin, the
angle has gradient :math:`1/r\le1`, and differs by almost :math:`2\pi` across the cut.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.5, Definition 3 and Lemma 5.
:kind: bound
:cost: instant
:covers: lipschitz-from-gradient-bound
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.prerequisites.lipschitz import (
    batch_gradient,
    lipschitz_upper_from_gradient,
    steepest_secant,
)


class Given(NamedTuple):
    """A function on a set, pairs of points of it, and a bound on the gradient."""

    f: Callable[[Tensor], Tensor]
    inside: Callable[[Tensor], Tensor]  # which points belong to the set
    a: Float[Tensor, "n 2"]
    b: Float[Tensor, "n 2"]
    L: float


class BoundedGradient(Claim[Given]):
    n: int = option(2000, low=1, high=100_000)  # pairs of points
    waves: int = option(4, low=1, high=50)  # terms of the function
    relation = at_most(
        ulps=64
    )  # a certified bound is above the steepest secant by more than rounding

    def given(self, rng: Generator) -> Given:
        """A sum of waves on a square; pairs from far apart to near."""
        w = torch.randn(self.waves, 2, generator=rng, dtype=torch.float64)
        phase = torch.rand(self.waves, generator=rng, dtype=torch.float64)

        def f(x: Tensor) -> Tensor:
            return torch.sin(x @ w.T + phase).sum(dim=1)

        curvature = float(w.square().sum())
        ends = torch.full((2,), 2.0, dtype=torch.float64)
        L = lipschitz_upper_from_gradient(f, -ends, ends, curvature=curvature, cells=80).upper
        a, c = 4 * torch.rand(2, self.n, 2, generator=rng, dtype=torch.float64) - 2
        s = 10 ** (-3 * torch.rand(self.n, 1, generator=rng, dtype=torch.float64))
        return Given(f, _in_square, a, a + s * (c - a), L)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Gradients at the points; segments between them."""
        f, inside, a, b, L = given
        largest = float(batch_gradient(f, torch.cat([a, b])).norm(dim=1).max())
        detail = f"largest gradient {largest:.3g}, L = {L:.3g}"
        yield Hypothesis("the gradient is at most L", largest <= L * (1 + 1e-12), detail)
        t = torch.linspace(0, 1, 9, dtype=torch.float64)[:, None, None]
        between = (a + t * (b - a)).reshape(-1, 2)
        convex = bool(inside(between).all())
        yield Hypothesis("the set is convex", convex)

    def predict(self, given: Given) -> float:
        """The bound on the gradient."""
        return given.L

    def measure(self, given: Given) -> float:
        """The steepest secant."""
        return steepest_secant(given.f, given.a, given.b).slope

    def counterexample(self, rng: Generator) -> Given:
        """The angle on a cut plane with a hole: two points on the two sides of the cut."""
        a = torch.tensor([[-2.0, 0.1]], dtype=torch.float64)
        return Given(_angle, _in_cut_plane, a, a * a.new_tensor([1.0, -1.0]), 1.0)

    def figure(self, given: Given) -> Figure:
        """Increments against distances, below the line of slope L."""
        distance = (given.a - given.b).norm(dim=1)
        rise = (given.f(given.a) - given.f(given.b)).abs()
        ends = distance.new_tensor([float(distance.min()), float(distance.max())])
        few = slice(0, 600)
        return Figure(
            "No increment is above the line of slope L",
            x="‖x − y‖",
            y="|f(x) − f(y)|",
            log_x=True,
            log_y=True,
            marks=(
                Points(distance[few], rise[few].clamp(min=1e-6), label="pairs of points"),
                Curve(given.L * ends, ends, label="L ‖x − y‖", role="predicted"),
            ),
        )


def _in_square(x: Tensor) -> Tensor:
    return (x.abs() <= 2 + 1e-12).all(dim=1)


def _angle(x: Tensor) -> Tensor:
    return torch.atan2(x[:, 1], x[:, 0])


def _in_cut_plane(x: Tensor) -> Tensor:
    on_the_cut = (x[:, 1].abs() < 1e-12) & (x[:, 0] < 0)
    return (x.norm(dim=1) >= 1) & ~on_the_cut
