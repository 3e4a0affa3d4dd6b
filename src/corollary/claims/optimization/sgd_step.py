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
:cost: instant
:covers: sgd-decomposition
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum, squares
from corollary.theory.optimization.stochastic.noise import noise_radius, sgd_step_decomposition


class Given(NamedTuple):
    """A problem, points around its minimiser, and the probability of each index."""

    problem: FiniteSum
    x: Float[Tensor, "k d"]
    p: Float[Tensor, " n"]


class SgdStep(Claim[Given]):
    n: int = option(30, low=2)  # functions
    d: int = 2  # dimension
    eta: float = option(0.1, low=1e-4, high=1.0)  # step size
    noise: float = option(0.5, low=0.01, high=100.0)  # spread of the targets
    points: int = option(60, low=3)  # distances
    relation = equals(ulps=2**12)  # means of squares

    def given(self, rng: Generator) -> Given:
        """Noisy least squares, and points along one direction."""
        X = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        y = X.sum(dim=1) + self.noise * torch.randn(self.n, generator=rng, dtype=torch.float64)
        problem, away = squares(X, y), torch.randn(self.d, generator=rng, dtype=torch.float64)
        r = torch.logspace(-2, 1, self.points, dtype=torch.float64)[:, None]
        fair = torch.full_like(y, 1 / self.n)
        return Given(problem, problem.minimiser + r * away / away.norm(), fair)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The draw is fair."""
        even = bool((given.p - 1 / self.n).abs().max() < 1e-12)
        yield Hypothesis("each index is equally likely", even)

    def predict(self, given: Given) -> list[float]:
        """The three terms."""
        o = given.problem
        return sgd_step_decomposition(o, given.x, o.minimiser, self.eta).after.tolist()

    def measure(self, given: Given) -> list[float]:
        """All n possible steps, each with its probability."""
        o = given.problem
        step = given.x[:, None] - self.eta * o.components(given.x) - o.minimiser
        return (step.square().sum(dim=-1) @ given.p).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A loaded die: the gradient is biased."""
        given = self.given(rng)
        p = torch.arange(1, self.n + 1, dtype=torch.float64)
        return given._replace(p=p / p.sum())

    def figure(self, given: Given) -> Figure:
        """Both terms against the distance, from well inside the noise radius."""
        o = given.problem
        terms = sgd_step_decomposition(o, given.x, o.minimiser, self.eta)
        before, r = terms.before, terms.before.sqrt()
        found = torch.tensor(self.measure(given), dtype=torch.float64)
        radius = noise_radius(o, o.minimiser, given.x[-1] - o.minimiser, self.eta)
        seen = r >= min(radius / 2, float(r[-1]))  # nearer, the noise dwarfs everything
        both = terms.progress + terms.variance
        return Figure(
            "Far away progress wins, near by the noise does",
            x="‖x − x*‖",
            y="relative change of ‖x − x*‖²",
            log_x=True,
            marks=(
                Curve((both / before)[seen], r[seen], "both terms", "predicted"),
                Curve((found / before - 1)[seen], r[seen], "all n steps averaged", dashed=True),
                Curve((terms.progress / before)[seen], r[seen], "progress", "other"),
                Curve((terms.variance / before)[seen], r[seen], "noise", "other", True),
                Level(min(radius, float(r[-1])), "noise radius", "other", "x"),
            ),
        )
