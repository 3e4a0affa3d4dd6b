r"""SGD on smooth functions.

Let f be L-smooth with :math:`f\ge f^*`, and :math:`\mathbb E\|\nabla f_i(x_k)\|^2\le\sigma^2` along
the run. With the constant step :math:`\eta=c/\sqrt K`, :math:`c=\sqrt{2(f(x_0)-f^*)/(L\sigma^2)}`,

.. math:: \min_{k<K}\mathbb E\|\nabla f(x_k)\|^2\le\frac1K\sum_{k<K}\mathbb E\|\nabla f(x_k)\|^2
   \le\sigma\sqrt{\frac{2(f(x_0)-f^*)L}K} .

Neither convexity nor a decaying step is needed, only the number of steps in advance.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 41; Ghadimi and Lan (2013),
    "Stochastic first- and zeroth-order methods for nonconvex stochastic programming", Theorem 2.1.
:kind: theorem
:cost: instant
:covers: sgd-nonconvex-rate
:erratum: [typo] The telescoped term in (5.9) is written f(x_{K-1}); summing over k = 0, ..., K - 1
    leaves f(x_K). The bound is not affected.
"""

from collections.abc import Iterator

import torch
from torch import Generator, Tensor

from corollary.claims.optimization._waves import Given, bounded, waves
from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, at_most, option
from corollary.theory.optimization.stochastic.descent import sgd
from corollary.theory.optimization.stochastic.finite_sums import squares
from corollary.theory.optimization.stochastic.rates import NonconvexRate, sgd_nonconvex


class SgdNonconvexRate(Claim[Given]):
    n: int = option(40, low=2)  # waves that are added up
    d: int = 2  # dimension
    K: tuple[int, ...] = option((16, 64, 256), low=2, high=100_000)  # steps of the runs
    runs: int = option(100, low=10, high=10_000)  # runs
    relation = at_most(level=0.999)  # the expectation is a mean over the runs

    def given(self, rng: Generator) -> Given:
        """A landscape of waves, whose gradients are no longer than their frequencies."""
        return waves(self.n, self.d, rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The second moment along the longest runs."""
        path = self._run(given, max(self.K))[:: max(max(self.K) // 16, 1)]
        bound = bounded(given, path)
        yield Hypothesis("stochastic gradients are bounded by σ along the run", *bound)

    def predict(self, given: Given) -> list[float]:
        """The bound for each length."""
        return [self._rate(given, K).bound for K in self.K]

    def measure(self, given: Given) -> list[Sample]:
        """Squared gradients, averaged over each run."""
        return [Sample(self._squares(given, K).mean(dim=0)) for K in self.K]

    def counterexample(self, rng: Generator) -> Given:
        """A parabola, whose gradients grow with the distance, under a bound for near points."""
        X = torch.ones(2, 1, dtype=torch.float64)
        problem = squares(X, torch.tensor([-1.0, 1.0], dtype=torch.float64))
        x0 = torch.full((1,), 1.5 * min(self.K) ** 0.5, dtype=torch.float64)
        return Given(problem, 1.0, x0, int(torch.randint(2**62, (), generator=rng)))

    def figure(self, given: Given) -> Figure:
        """Bound and measurement against K."""
        found = [sample.read(0.999) for sample in self.measure(given)]
        return Figure(
            "SGD without convexity",
            x="K",
            y="(1/K) Σ E‖∇f(x_k)‖²",
            log_x=True,
            log_y=True,
            marks=(
                Curve(self.predict(given), self.K, "σ√(2(f(x₀) − f*)L/K)", "predicted"),
                Points(
                    self.K, [r.value for r in found], "mean over runs, 99.9 % interval",
                    "measured", [r.low for r in found], [r.high for r in found],
                ),
            ),
        )  # fmt: skip

    def _rate(self, given: Given, K: int) -> NonconvexRate:
        delta = float(given.problem.value(given.x0)) - given.problem.minimum
        return sgd_nonconvex(delta, given.problem.L, given.sigma, K)

    def _run(self, given: Given, K: int) -> Tensor:
        rng = torch.Generator().manual_seed(given.seed)
        x0 = given.x0.expand(self.runs, -1).contiguous()
        return sgd(given.problem, x0, self._rate(given, K).eta, max(K - 1, 1), rng=rng).x

    def _squares(self, given: Given, K: int) -> Tensor:
        return given.problem.gradient(self._run(given, K)).square().sum(dim=-1)
