r"""Convex functions lie above their tangents.

A differentiable f on :math:`\mathbb{R}^d` is convex, that is

.. math:: f(ax+(1-a)x')\le a f(x)+(1-a)f(x')\quad\text{for }0\le a\le1,

if and only if it lies above all of its tangents:

.. math:: f(x)\ge f(x')+\nabla f(x')^\top(x-x')\quad\text{for all }x,x'.

So one gradient bounds f everywhere, and a point with :math:`\nabla f(x')=0` is a global minimum.

:source: Lucchi (2025), Foundations of Deep Learning, Definition 18 and Section 5.8, Problem 1.
:kind: theorem
:uses: mean_value
:covers: convex-first-order
:scale-free: A multiple of the gap between f and its tangent has the same sign.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import Function
from corollary.core import Claim, Parity, Suppose, at_least, generator, normal
from corollary.theory.optimization.convexity import convexity_probe, first_order_convexity_gap


class Given(NamedTuple):
    f: Function
    x: Float[Tensor, "n d"]
    xp: Float[Tensor, "n d"]  # where the tangents touch


def chords(given: Given) -> tuple[bool, str]:
    """In a box around the points."""
    points = torch.cat([given.x, given.xp])
    low, high = points.min(dim=0).values, points.max(dim=0).values
    found = convexity_probe(given.f, low, high, rng=generator(0, "chords"))
    return found is None, "" if found is None else f"f exceeds a chord by {found.excess:.2g}"


class TangentBelow(Claim[Given]):
    n: int = 30  # pairs of points
    d: int = 3  # dimension
    m: int = 8  # affine functions whose exponentials are added up

    relation = at_least(ulps=64, scale=10.0)  # values and slopes of size 10 are rounded
    supposes = Suppose(
        "no chord of f lies below f",
        chords,
        "A sine lies partly above and partly below its tangents.",
        f=lambda g: lambda x: torch.sin(3 * x).sum(),
    )
    symbols = "f(x′) + ∇f(x′)ᵀ(x − x′)", "f(x)"
    shows = Parity("A convex function lies above its tangents")

    def given(self, rng: Generator) -> Given:
        A, b = normal(rng, self.m, self.d), normal(rng, self.m)
        x, xp = normal(rng, self.n, self.d), normal(rng, self.n, self.d)
        return Given(lambda x: torch.logsumexp(A @ x + b, dim=0), x, xp)

    def predict(self, given: Given) -> list[float]:
        f, pairs = given.f, zip(given.x, given.xp, strict=True)
        return [float(f(x)) - first_order_convexity_gap(f, x, xp) for x, xp in pairs]

    def measure(self, given: Given) -> list[float]:
        return torch.vmap(given.f)(given.x).tolist()
