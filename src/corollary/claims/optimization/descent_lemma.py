r"""Descent lemma.

For L-smooth f a gradient step :math:`x^+=x-\eta\nabla f(x)` brings at least

.. math:: f(x)-f(x^+)\ge\eta\Bigl(1-\frac{\eta L}2\Bigr)\|\nabla f(x)\|^2,

which is positive for :math:`\eta<2/L`, largest, :math:`\|\nabla f\|^2/(2L)`, at
:math:`\eta=1/L`, and at least :math:`\frac\eta2\|\nabla f\|^2` up to there. It is an equality for
:math:`\frac L2\|x\|^2`.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 39, (5.5); Perez Jensen (2025), Deep
    Learning, Section 3.2.
:kind: bound
:cost: instant
:covers: descent-lemma
:erratum: [typo] Section 3.2 of Perez Jensen's notes writes the sufficient decrease as an equality;
    it is a lower bound of the decrease: theta^2/2 is 2-smooth, and from 1 with step 1/2 it drops
    by 0.375 > 0.25.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, at_least, option
from corollary.theory.optimization.objectives import waves
from corollary.theory.optimization.smoothness_bounds import descent
from corollary.theory.prerequisites.smoothness import hessian_norm


class Given(NamedTuple):
    """A function, its smoothness, points and a step."""

    f: Callable[[Tensor], Tensor]
    L: float
    x: Float[Tensor, "n d"]
    eta: float


class DescentLemma(Claim[Given]):
    n: int = 30  # points
    d: int = 2  # dimension
    m: int = 3  # waves that are added up
    share: float = option(1.0, low=0.01, high=1.99)  # the step in units of 1/L
    relation = at_least(ulps=2**10, scale=1.0)  # a difference of two values of size 10

    def given(self, rng: Generator) -> Given:
        """A sum of waves."""
        w = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64)
        b = 6.3 * torch.rand(self.m, generator=rng, dtype=torch.float64)
        landscape = waves(w, b, torch.ones(self.m, dtype=torch.float64))
        x = 2 * torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        return Given(landscape.f, landscape.L, x, self.share / landscape.L)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The curvature at the points."""
        largest = max(hessian_norm(given.f, x) for x in given.x)
        detail = f"largest curvature seen {largest:.3g}, L = {given.L:.3g}"
        yield Hypothesis("f is L-smooth", largest <= given.L * (1 + 1e-9), detail)
        yield Hypothesis("the step is shorter than 2/L", given.eta < 2 / given.L)

    def predict(self, given: Given) -> list[float]:
        """The promise."""
        return [descent(given.f, x, given.eta, given.L).guaranteed for x in given.x]

    def measure(self, given: Given) -> list[float]:
        """What the step brought."""
        return [descent(given.f, x, given.eta, given.L).actual for x in given.x]

    def counterexample(self, rng: Generator) -> Given:
        """A quartic is smooth with no L: the step overshoots and climbs."""
        x = torch.tensor([[2.0]], dtype=torch.float64)
        return Given(lambda x: (x**4).sum(), 1.0, x, 1.0)

    def figure(self, given: Given) -> Figure:
        """One point, all steps."""
        x, L = given.x[0], given.L
        steps = torch.linspace(0.02, 2.2, 110, dtype=torch.float64) / L
        both = [descent(given.f, x, float(eta), L) for eta in steps]
        return Figure(
            "The decrease of one step by its size",
            x="ηL",
            y="f(x) − f(x − η∇f(x))",
            marks=(
                Curve([b.guaranteed for b in both], L * steps, "η(1 − ηL/2)‖∇f‖²", "predicted"),
                Curve([b.actual for b in both], L * steps, "decrease"),
                Level(1.0, label="1/L", role="other", axis="x"),
                Level(2.0, label="2/L", role="other", axis="x"),
            ),
        )
