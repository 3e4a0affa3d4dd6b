r"""The union bound over a finite class.

For N functions with values in [0, 1], chosen before the n i.i.d. samples, with probability at least
:math:`1-\delta` all of them at once satisfy

.. math:: |R(f)-R_S(f)|\le\sqrt{\frac{\log N+\log(2/\delta)}{2n}} .

On one side, :math:`P(\sup_f(R-R_S)\ge\epsilon)\le Ne^{-2n\epsilon^2}`. The price of N functions is
:math:`\log N`; without it the bound for one function is broken by the largest of them.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 8.1 and 8.2, Equations 8.12 and 8.13.
:kind: bound
:uses: hoeffding
:covers: union-bound-finite-class
:erratum: [possible OCR artefact] Equation 8.13 shows R(f) - R_S(f) + sqrt(...) without a relation;
    R(f) <= R_S(f) + sqrt(...) is meant, as in Section 8.1. With the one-sided 8.12 log(1/delta) in
    place of log(2/delta) is enough.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Count, Suppose, Trial, at_most, option, uniform
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.theory.generalization.deviations import upper_quantile
from corollary.theory.generalization.finite_class import (
    finite_class_deviation,
    finite_class_probability,
    largest_deviation,
)


class Given(NamedTuple):
    """Risks of the functions, their empirical risks on samples of n, and what the bound is told."""

    risks: Float[Tensor, " k"]
    empirical: Float[Tensor, "t k"]
    n: int
    N: int
    eps: float


def chosen_before(given: Given) -> tuple[bool, str]:
    """How far mean empirical risks are from the risks, in standard errors."""
    r, (t, _) = given.risks, given.empirical.shape
    error = (r * (1 - r) / (given.n * t)).sqrt()
    off = float(((given.empirical.mean(dim=0) - r).abs() / error).nan_to_num(0.0).max())
    return off < 6, f"largest difference of means {off:.2g} standard errors"


def has_independent_samples(given: Given) -> tuple[bool, str]:
    """How the empirical risks vary, in units of R(1 − R)/n."""
    r, (t, _) = given.risks, given.empirical.shape
    ratio = (given.n * given.empirical.var(dim=0) / (r * (1 - r))).nan_to_num(1.0)
    off = float((ratio - 1).abs().max())
    return off < 10 * (2 / t) ** 0.5, f"largest difference of variances {100 * off:.2g} %"


class UnionBound(Claim[Given]):
    N: int = option(100, low=1, high=1000)  # functions
    n: int = option(200, low=10, high=2000)  # samples
    delta: float = option(0.1, low=0.02, high=0.5)  # probability of failure
    trials: int = option(10000, low=1000, high=20000)  # repetitions

    relation = at_most(level=0.999)  # the exact binomial interval of the failure rate
    supposes = (
        Suppose(
            "the class has at most N functions",
            lambda g: (len(g.risks) <= g.N, f"{len(g.risks)} functions"),
            "The bound for one function is applied to the worst of N functions.",
            N=1,
            eps=lambda self, g: finite_class_deviation(1, g.n, self.delta),
        ),
        Suppose(
            "the functions were chosen before the sample",
            chosen_before,
            "The functions memorise the sample and make no error on it.",
            empirical=lambda g: torch.zeros_like(g.empirical),
        ),
        Suppose(
            "the samples are independent",
            has_independent_samples,
            "The sample is one example, copied n times, so every empirical risk is 0 or 1.",
            empirical=lambda g, rng: (uniform(rng, *g.empirical.shape) < g.risks).double(),
        ),
    )
    symbols = "2N exp(−2nε²)", "P(sup |R − R_S| > ε)"

    def given(self, rng: Generator) -> Given:
        risks = 0.4 + 0.2 * uniform(rng, self.N)
        size = torch.full((self.trials, self.N), float(self.n), dtype=torch.float64)
        empirical = torch.binomial(size, risks.expand_as(size), generator=rng) / self.n
        eps = finite_class_deviation(self.N, self.n, self.delta)
        return Given(risks, empirical, self.n, self.N, eps)

    def predict(self, given: Given) -> float:
        return finite_class_probability(given.N, given.n, given.eps)

    def measure(self, given: Given) -> Count:
        off = largest_deviation(given.risks, given.empirical)
        return Count(int((off > given.eps).sum()), len(off))

    def tight(self) -> Given:
        """One function and one example: R_S is always off by 1/2."""
        half = torch.full((1,), 0.5, dtype=torch.float64)
        empirical = torch.tensor([[0.0], [1.0]], dtype=torch.float64).repeat(1000, 1)
        return Given(half, empirical, 1, 1, 0.4999)

    @picture(
        "The bound grows with the logarithm of the number of functions",
        x="N",
        y="sup |R − R_S|",
        log="x",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        risks, empirical, n, N, _ = trial.given
        counts = [k for k in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512) if k < N] + [N]
        off = [largest_deviation(risks[:k], empirical[:, :k]) for k in counts]
        line = [finite_class_deviation(k, n, self.delta) for k in counts]
        top, share = [upper_quantile(e, self.delta) for e in off], 1 - self.delta
        yield Curve(line, counts, label="√((log N + log(2/δ))/2n)", role="predicted")
        yield Points(counts, top, label=f"{share:g} quantile")
        yield Curve([float(e.mean()) for e in off], counts, label="mean", role="other")
