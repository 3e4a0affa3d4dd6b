r"""Gradient descent without convexity.

For L-smooth f bounded below by :math:`f^*` and :math:`0<\eta\le1/L`

.. math:: \min_{i\le k}\|\nabla f(x_i)\|^2\le\frac{2\,(f(x_0)-f^*)}{\eta\,(k+1)} ,

so with :math:`\eta=1/L` some gradient is no longer than :math:`\varepsilon` after
:math:`2L(f(x_0)-f^*)/\varepsilon^2` steps. Each step lowers f by at least
:math:`\frac\eta2\|\nabla f\|^2` (descent lemma), and all steps together by at most
:math:`f(x_0)-f^*`. Nothing is said about :math:`f(x_k)`: at a saddle the gradient is 0 as well.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 38; Perez Jensen (2025), Deep
    Learning, Section 3.2, Lemma 3.2; Nesterov (2004), "Introductory lectures on convex
    optimization", Section 1.2.3.
:kind: theorem
:cost: instant
:covers: gd-nonconvex
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, HeatMap, Hypothesis, at_most, option
from corollary.theory.optimization.gradient_descent import Descent, gradient_descent
from corollary.theory.optimization.grids import values_on_grid
from corollary.theory.optimization.objectives import waves
from corollary.theory.optimization.rates import gd_nonconvex
from corollary.theory.prerequisites.smoothness import hessian_norm


class Given(NamedTuple):
    """A function with its constants, a start and a step."""

    f: Callable[[Tensor], Tensor]
    L: float
    lower: float  # what is taken for a lower bound of f
    x0: Float[Tensor, " d"]
    eta: float


class GdNonconvex(Claim[Given]):
    d: int = 2  # dimension
    m: int = 6  # waves that are added up
    k: int = 60  # steps
    share: float = option(1.0, low=0.01, high=1.0)  # the step in units of 1/L
    relation = at_most(ulps=64)  # a square and a quotient are rounded

    def given(self, rng: Generator) -> Given:
        """A sum of waves: valleys, hills and saddles."""
        w = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64)
        b = 6.3 * torch.rand(self.m, generator=rng, dtype=torch.float64)
        landscape = waves(w, b, torch.ones(self.m, dtype=torch.float64))
        x0 = torch.randn(self.d, generator=rng, dtype=torch.float64)
        return Given(landscape.f, landscape.L, 0.0, x0, self.share / landscape.L)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Along the run."""
        run = self._run(given)
        yield Hypothesis("f stays above its lower bound", bool(run.f.min() >= given.lower))
        largest = max(hessian_norm(given.f, x) for x in run.x[::6])
        yield Hypothesis("f is L-smooth", largest <= given.L * (1 + 1e-9))
        yield Hypothesis("the step is at most 1/L", given.eta <= (1 + 1e-12) / given.L)

    def predict(self, given: Given) -> list[float]:
        """The bound after each step."""
        delta = float(given.f(given.x0)) - given.lower
        return [gd_nonconvex(delta, given.eta, k) for k in range(self.k + 1)]

    def measure(self, given: Given) -> list[float]:
        """The shortest gradient so far, squared."""
        return self._run(given).gradient_norm.square().cummin(dim=0).values.tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A slope without end."""
        return Given(lambda x: -x.sum(), 1.0, -0.25, torch.zeros(1, dtype=torch.float64), 1.0)

    def figure(self, given: Given) -> tuple[Figure, ...]:
        """The bound; the path on its landscape."""
        run = self._run(given)
        found = run.gradient_norm.square().clamp(min=1e-20)
        rate = Figure(
            "Some gradient becomes short",
            x="k",
            y="‖∇f‖²",
            log_y=True,
            marks=(
                Curve(self.predict(given), None, "2(f(x₀) − f*)/(η(k + 1))", "predicted"),
                Curve(found.cummin(dim=0).values, None, "shortest so far"),
                Curve(found, None, "at x_k", "other", dashed=True),
            ),
        )
        if len(given.x0) != 2:
            return (rate,)
        a, b = given.x0.tolist()
        x, y = (a - 3, a + 3), (b - 3, b + 3)
        ground = HeatMap(values_on_grid(given.f, x, y), x, y, label="f")
        path = Curve(run.x[:, 1], run.x[:, 0], label="gradient descent")
        return rate, Figure(
            "Down to a stationary point", x="x₁", y="x₂", equal=True, marks=(ground, path)
        )

    def _run(self, given: Given) -> Descent:
        return gradient_descent(given.f, given.x0, given.eta, self.k)
