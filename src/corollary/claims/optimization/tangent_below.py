r"""Convex functions lie above their tangents.

A differentiable f on :math:`\mathbb{R}^d` is convex, that is

.. math:: f(ax+(1-a)x')\le a f(x)+(1-a)f(x')\quad\text{for }0\le a\le1,

if and only if it lies above all of its tangents:

.. math:: f(x)\ge f(x')+\nabla f(x')^\top(x-x')\quad\text{for all }x,x'.

So one gradient bounds f everywhere, and a point with :math:`\nabla f(x')=0` is a global minimum.

:source: Lucchi (2025), Foundations of Deep Learning, Definition 18 and Section 5.8, Problem 1.
:kind: theorem
:cost: instant
:covers: convex-first-order
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_least
from corollary.theory.optimization.convexity import convexity_probe
from corollary.theory.prerequisites.gradients import gradient


class Given(NamedTuple):
    """A function and pairs of points."""

    f: Callable[[Tensor], Tensor]
    x: Float[Tensor, "n d"]
    xp: Float[Tensor, "n d"]  # where the tangents touch
    seed: int  # of the chords that test convexity


class TangentBelow(Claim[Given]):
    n: int = 30  # pairs of points
    d: int = 3  # dimension
    m: int = 8  # affine functions whose exponentials are added up
    relation = at_least(ulps=64, scale=10.0)  # values and slopes of size 10 are rounded

    def given(self, rng: Generator) -> Given:
        """The log-sum-exp of m random affine functions."""
        A = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64)
        b = torch.randn(self.m, generator=rng, dtype=torch.float64)
        x, xp = torch.randn(2, self.n, self.d, generator=rng, dtype=torch.float64)
        seed = int(torch.randint(2**31, (1,), generator=rng))
        return Given(lambda x: torch.logsumexp(A @ x + b, dim=0), x, xp, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Chords in a box around the points."""
        points = torch.cat([given.x, given.xp])
        low, high = points.min(dim=0).values, points.max(dim=0).values
        rng = torch.Generator().manual_seed(given.seed)
        found = convexity_probe(given.f, low, high, rng=rng)
        detail = "" if found is None else f"f exceeds a chord by {found.excess:.2g}"
        yield Hypothesis("no chord of f runs below f", found is None, detail)

    def predict(self, given: Given) -> list[float]:
        """Tangents at x', read at x."""
        f, x, xp, _ = given
        slopes = torch.stack([gradient(f, p) for p in xp])
        return (torch.vmap(f)(xp) + (slopes * (x - xp)).sum(dim=1)).tolist()

    def measure(self, given: Given) -> list[float]:
        """Values at x."""
        return torch.vmap(given.f)(given.x).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A sine has tangents on both sides."""
        _, x, xp, seed = self.given(rng)
        return Given(lambda x: torch.sin(3 * x).sum(), x, xp, seed)

    def figure(self, given: Given) -> Figure:
        """A section of f with three of its tangents."""
        f, u = given.f, given.x[0] / given.x[0].norm()
        t = torch.linspace(-3, 3, 121, dtype=torch.float64)
        marks = [Curve(torch.vmap(f)(t[:, None] * u), t, label="f")]
        for s in (-2.0, 0.0, 2.0):
            value, slope = float(f(s * u)), float(gradient(f, s * u) @ u)
            marks.append(Curve(value + slope * (t - s), t, f"tangent at {s:g}", "predicted"))
        return Figure("A convex function and its tangents", x="t", y="f(tu)", marks=tuple(marks))
