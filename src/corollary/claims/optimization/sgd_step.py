r"""Progress and noise in a step of SGD.

For i uniform, :math:`x^+=x-\eta\nabla f_i(x)` and any point :math:`x^*`

.. math:: \mathbb E\|x^+-x^*\|^2=\|x-x^*\|^2
   \underbrace{-2\eta\,(x-x^*)^\top\nabla f(x)}_{\text{progress}}
   \underbrace{+\eta^2\,\mathbb E\|\nabla f_i(x)\|^2}_{\text{noise}} .

For :math:`\mu`-strongly convex f the progress is at most
:math:`-2\eta\bigl(f(x)-f^*+\frac\mu2\|x-x^*\|^2\bigr)`. Far away progress wins; near the minimiser
it vanishes and the noise does not, so that a constant step stops at the radius where the two are
equal.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.7; Bottou, Curtis and Nocedal
    (2018), "Optimization methods for large-scale machine learning", Section 4.
:kind: identity
:uses: quadratic_upper_bound, minibatch_variance
:covers: sgd-decomposition
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, normal, option
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum, squares
from corollary.theory.optimization.stochastic.noise import sgd_step_decomposition


class Given(NamedTuple):
    problem: FiniteSum
    x: Float[Tensor, "k d"]  # points around the minimiser
    p: Float[Tensor, " n"]  # probability of each index

    @property
    def distance(self) -> Float[Tensor, " k"]:
        return (self.x - self.problem.minimiser).square().sum(dim=1).sqrt()


class SgdStep(Claim[Given]):
    n: int = option(30, low=2)  # functions
    d: int = 2  # dimension
    eta: float = option(0.1, low=1e-4, high=1.0)  # learning rate
    noise: float = option(0.5, low=0.01, high=100.0)  # spread of the targets
    points: int = option(60, low=3)  # distances

    relation = equals(ulps=2**12)  # means of squares
    supposes = Suppose(
        "each index is equally likely",
        lambda g: near(g.p, 1 / len(g.p)),
        "If the indices are not equally likely, the gradient is biased.",
        p=lambda g: torch.arange(1, len(g.p) + 1) / torch.arange(1, len(g.p) + 1).double().sum(),
    )
    symbols = "‖x − x*‖² + progress + noise", "all n steps averaged"
    shows = Along(
        "Progress dominates far away, noise dominates near the minimum",
        x="‖x − x*‖",
        y="E‖x⁺ − x*‖²",
        at="distance",
        log="xy",
    )

    def given(self, rng: Generator) -> Given:
        X, away = normal(rng, self.n, self.d), normal(rng, self.d)
        problem = squares(X, X.sum(dim=1) + self.noise * normal(rng, self.n))
        r = torch.logspace(-2, 1, self.points, dtype=torch.float64)[:, None]
        fair = torch.full((self.n,), 1 / self.n, dtype=torch.float64)
        return Given(problem, problem.minimiser + r * away / away.norm(), fair)

    def predict(self, given: Given) -> list[float]:
        o = given.problem
        return sgd_step_decomposition(o, given.x, o.minimiser, self.eta).after.tolist()

    def measure(self, given: Given) -> list[float]:
        o = given.problem
        step = given.x[:, None] - self.eta * o.components(given.x) - o.minimiser
        return (step.square().sum(dim=-1) @ given.p).tolist()
