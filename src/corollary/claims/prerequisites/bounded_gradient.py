r"""A bounded gradient implies Lipschitz continuity.

If f is differentiable on a convex set and :math:`\|\nabla f\|\le L` there, then

.. math:: |f(x)-f(y)|\le L\,\|x-y\|.

Convexity is needed: on a plane that is cut along a half-line and has a hole around the origin, the
angle has gradient :math:`1/r\le1`, and differs by almost :math:`2\pi` across the cut.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.5, Definition 3 and Lemma 5.
:kind: bound
:uses: mean_value, cauchy_schwarz
:covers: lipschitz-from-gradient-bound
:scale-free: theory gives the L of the hypothesis; both sides are plain arithmetic.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, at_most, normal, option, uniform
from corollary.theory.prerequisites.lipschitz import batch_gradient, lipschitz_upper_from_gradient


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]
    inside: Callable[[Tensor], Tensor]  # which points belong to the set
    a: Float[Tensor, "n 2"]  # pairs of points of it
    b: Float[Tensor, "n 2"]
    L: float  # bound on the gradient


def _largest_gradient(given: Given) -> float:
    return float(batch_gradient(given.f, torch.cat([given.a, given.b])).norm(dim=1).max())


def _segments_inside(given: Given) -> bool:
    t = torch.linspace(0, 1, 9, dtype=torch.float64)[:, None, None]
    return bool(given.inside((given.a + t * (given.b - given.a)).reshape(-1, 2)).all())


def across_a_cut(given: Given) -> Given:
    """The polar angle on a cut plane has a small gradient, but jumps across the cut."""

    def inside(x: Tensor) -> Tensor:
        on_the_cut = (x[:, 1].abs() < 1e-12) & (x[:, 0] < 0)
        return (x.square().sum(dim=1) >= 1) & ~on_the_cut

    a = torch.tensor([[-2.0, 0.1]], dtype=torch.float64)
    return Given(lambda x: torch.atan2(x[:, 1], x[:, 0]), inside, a, a * a.new_tensor([1, -1]), 1.0)


class BoundedGradient(Claim[Given]):
    n: int = option(200, low=1, high=100_000)  # pairs of points
    waves: int = option(4, low=1, high=50)  # terms of the function

    relation = at_most(ulps=64)  # a certified bound is above every secant by more than rounding
    supposes = (
        Suppose(
            "the gradient is at most L",
            lambda g: g.L * (1 + 1e-12) - _largest_gradient(g),
            "L is half of the largest gradient norm, so some increments are larger than allowed.",
            L=lambda g: _largest_gradient(g) / 2,
        ),
        Suppose("the set is convex", _segments_inside, without=across_a_cut),
    )
    symbols = "L ‖x − y‖", "|f(x) − f(y)|"
    shows = Parity("Increments are at most L times the distance", log="xy")

    def given(self, rng: Generator) -> Given:
        w, phase = normal(rng, self.waves, 2), uniform(rng, self.waves)

        def f(x: Tensor) -> Tensor:
            waves: Tensor = torch.sin(x @ w.T + phase)
            return waves.sum(dim=1)

        ends, curvature = torch.full((2,), 2.0, dtype=torch.float64), float(w.square().sum())
        L = lipschitz_upper_from_gradient(f, -ends, ends, curvature=curvature, cells=80).upper
        a, c = 4 * uniform(rng, 2, self.n, 2) - 2
        near = 10 ** (-3 * uniform(rng, self.n, 1))  # from far apart to near
        return Given(f, lambda x: (x.abs() <= 2 + 1e-12).all(dim=1), a, a + near * (c - a), L)

    def predict(self, given: Given) -> Tensor:
        return given.L * (given.a - given.b).square().sum(dim=1).sqrt()

    def measure(self, given: Given) -> Tensor:
        return (given.f(given.a) - given.f(given.b)).abs()

    def tight(self) -> Given:
        """A linear function, along its gradient."""
        w = torch.tensor([3.0, 4.0], dtype=torch.float64)
        return Given(lambda x: x @ w, lambda x: x[:, 0] < 9, w[None], -w[None], 5.0)
