r"""SGD on smooth functions that are not convex: a bound on the mean squared gradient.

Let f be L-smooth with :math:`f\ge f^*`, and :math:`\mathbb E\|\nabla f_i(x_k)\|^2\le\sigma^2` along
the run. With the constant step :math:`\eta=c/\sqrt K`, :math:`c=\sqrt{2(f(x_0)-f^*)/(L\sigma^2)}`,

.. math:: \min_{k<K}\mathbb E\|\nabla f(x_k)\|^2\le\frac1K\sum_{k<K}\mathbb E\|\nabla f(x_k)\|^2
   \le\sigma\sqrt{\frac{2(f(x_0)-f^*)L}K} .

Neither convexity nor a decaying step is needed, only the number of steps in advance.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 41; Ghadimi and Lan (2013),
    "Stochastic first- and zeroth-order methods for nonconvex stochastic programming", Theorem 2.1.
:kind: theorem
:uses: sgd_step
:covers: sgd-nonconvex-rate, stochastic-gradient-descent
:loose: The proof takes the worst curvature and the worst noise at each step; these waves have less.
:erratum: [typo] The telescoped term in (5.9) is written f(x_{K-1}); summing over k = 0, ..., K - 1
    leaves f(x_K). The bound is not affected.
"""

import torch
from torch import Generator

from corollary.claims.optimization._landscapes import Stochastic, bounded, stochastic_hill
from corollary.core import Along, Claim, Sample, Suppose, at_most, option
from corollary.theory.optimization.stochastic.finite_sums import squares
from corollary.theory.optimization.stochastic.rates import NonconvexRate, sgd_nonconvex


def parabola(self: "SgdNonconvexRate") -> Stochastic:
    """On a parabola, gradients far away exceed the bound σ, which holds near the start only."""
    X = torch.ones(2, 1, dtype=torch.float64)
    problem = squares(X, torch.tensor([-1.0, 1.0], dtype=torch.float64))
    return Stochastic(problem, 1.0, 1.5 * min(self.K) ** 0.5 * X[0])


class SgdNonconvexRate(Claim[Stochastic]):
    n: int = option(40, low=2)  # waves that are added up
    d: int = 2  # dimension
    K: tuple[int, ...] = option((16, 64, 256), low=2, high=100_000)  # steps of the runs
    runs: int = option(100, low=10, high=10_000)  # runs

    relation = at_most(level=0.999)  # the expectation is a mean over the runs
    supposes = Suppose(
        "stochastic gradients are bounded by σ along the run",
        lambda self, g: bounded(g, self.rate(g, max(self.K)).eta, max(self.K)),
        without=parabola,
    )
    symbols = "σ√(2(f(x₀) − f*)L/K)", "(1/K) Σ E‖∇f(x_k)‖²"
    shows = Along("SGD without convexity", x="K", at="K", log="xy")

    def given(self, rng: Generator) -> Stochastic:
        return stochastic_hill(self.n, self.d, rng)

    def predict(self, given: Stochastic) -> list[float]:
        return [self.rate(given, K).bound for K in self.K]

    def measure(self, given: Stochastic, rng: Generator) -> list[Sample]:
        paths = [given.run(self.rate(given, K).eta, K, self.runs, rng) for K in self.K]
        return [Sample(given.squares(path).mean(dim=0)) for path in paths]

    def rate(self, given: Stochastic, K: int) -> NonconvexRate:
        return sgd_nonconvex(given.delta, given.problem.L, given.sigma, K)
