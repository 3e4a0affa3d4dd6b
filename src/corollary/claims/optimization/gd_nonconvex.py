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
:uses: descent_lemma
:covers: gd-nonconvex
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import Function, hills
from corollary.core import Along, Claim, Suppose, at_most, normal, option
from corollary.theory.optimization.gradient_descent import Descent, gradient_descent
from corollary.theory.optimization.rates import gd_nonconvex
from corollary.theory.prerequisites.smoothness import hessian_norm


class Given(NamedTuple):
    f: Function
    L: float  # smoothness of f
    lower: float  # what is taken for a lower bound of f
    x0: Float[Tensor, " d"]
    eta: float  # learning rate


def bowl(curvature: float, eta: float) -> Given:
    """A parabola from 1, said to be 1-smooth."""
    one = torch.ones(1, dtype=torch.float64)
    return Given(lambda x: curvature / 2 * x.square().sum(), 1.0, 0.0, one, eta)


class GdNonconvex(Claim[Given]):
    d: int = 2  # dimension
    m: int = 6  # waves that are added up
    k: int = 60  # steps
    share: float = option(1.0, low=0.01, high=1.0)  # the step in units of 1/L

    relation = at_most(ulps=64)  # a square and a quotient are rounded
    supposes = (
        Suppose(
            "f is bounded below by the stated bound",
            lambda self, g: bool(self.run(g).f.min() >= g.lower),
            "A linear function has no lower bound, and its gradient never shrinks.",
            lambda: Given(lambda x: -x.sum(), 1.0, -0.25, torch.zeros(1, dtype=torch.float64), 1.0),
        ),
        Suppose(
            "f is L-smooth",
            lambda self, g: (
                g.L * (1 + 1e-9) - max(hessian_norm(g.f, x) for x in self.run(g).x[::6])
            ),
            "The curvature of the bowl is a hundred times as large as stated.",
            lambda: bowl(100.0, 1.0),
        ),
        Suppose(
            "the step is at most 1/L",
            lambda g: (1 + 1e-12) / g.L - g.eta,
            "Steps of 3/L cross the bowl and increase f.",
            lambda: bowl(1.0, 3.0),
        ),
    )
    symbols = "2(f(x₀) − f*)/(η(k + 1))", "smallest ‖∇f‖² so far"
    shows = Along("Smallest gradient norm so far", x="k", log="y", without=False)

    def given(self, rng: Generator) -> Given:
        o = hills(self.m, self.d, rng)
        return Given(o.f, o.L, 0.0, normal(rng, self.d), self.share / o.L)

    def predict(self, given: Given) -> list[float]:
        delta = float(given.f(given.x0)) - given.lower
        return [gd_nonconvex(delta, given.eta, k) for k in range(self.k + 1)]

    def measure(self, given: Given) -> list[float]:
        return self.run(given).gradient_norm.square().cummin(dim=0).values.tolist()

    def run(self, given: Given) -> Descent:
        return gradient_descent(given.f, given.x0, given.eta, self.k)

    def tight(self) -> Given:
        """A bowl: its first gradient is as long as its height allows."""
        return bowl(1.0, 1.0)
