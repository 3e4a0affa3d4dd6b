r"""The bound of Vapnik and Chervonenkis.

For a class with growth function :math:`S_{\mathcal F}`, with probability at least
:math:`1-\delta` over n i.i.d. samples all f of the class satisfy

.. math:: R(f)\le R_S(f)+2\sqrt{\frac{2(\log S_{\mathcal F}(2n)+\log(2/\delta))}n},

whatever the distribution. Thresholds on the line have :math:`S_{\mathcal F}(2n)=2n+1`; for them the
largest deviation is Smirnov's statistic, whose law is known, so that the slack of the bound can be
read off. A value above 1 says nothing and is called vacuous.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 60; Vapnik and Chervonenkis (1971),
    "On the uniform convergence of relative frequencies of events to their probabilities".
:kind: bound
:cost: instant
:covers: vc-generalization-bound
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Points,
    at_most,
    option,
)
from corollary.theory.generalization.deviations import upper_quantile
from corollary.theory.generalization.shattering import growth, thresholds
from corollary.theory.generalization.vc import vc_deviation

SIZES = (20, 50, 100, 200, 500, 1000)


class Given(NamedTuple):
    """Repeated samples of uniform points, all labelled 0, and whether any set may be a rule."""

    x: Float[Tensor, "t n"]
    every_set: bool  # the class of all finite sets and their complements, in place of thresholds

    def labelings(self, points: Float[Tensor, "k 1"]) -> int:
        """How many labelings of these points the class has."""
        return 2 ** len(points) if self.every_set else growth(thresholds, points)

    def suprema(self) -> Float[Tensor, " t"]:
        """The largest risk less empirical risk of a rule 1[x <= t], or of any rule."""
        if self.every_set:  # 0 on the sample, 1 elsewhere
            return torch.ones(len(self.x), dtype=self.x.dtype)
        n = self.x.shape[1]
        below = torch.arange(n, dtype=self.x.dtype) / n  # R_S just below each sorted point
        return (self.x.sort(dim=1).values - below).amax(dim=1)


@dataclass(frozen=True)
class VcBound(Claim[Given]):
    """The largest deviation of thresholds, at the quantile that the bound speaks of."""

    n: int = option(500, low=10, high=2000)  # samples
    delta: float = option(0.05, low=0.01, high=0.5)  # probability of failure
    trials: int = option(3000, low=1000, high=20000)  # repetitions
    relation = at_most(ulps=8)  # a quantile with its confidence built in
    trivial = 1.0  # a risk is never larger

    def given(self, rng: Generator) -> Given:
        """Uniform points and thresholds."""
        return Given(torch.rand(self.trials, self.n, generator=rng, dtype=torch.float64), False)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The growth function, looked at on ten points."""
        points = given.x.flatten()[:10, None]
        count = given.labelings(points)
        yield Hypothesis(
            "m points have at most m + 1 labelings", count <= 11, f"ten points have {count}"
        )

    def predict(self, given: Given) -> float:
        """The bound for 2n + 1 labelings."""
        n = given.x.shape[1]
        return vc_deviation(2 * n + 1, n, self.delta)

    def measure(self, given: Given) -> float:
        """A value above the quantile of the largest deviation, with confidence 0.99."""
        return upper_quantile(given.suprema(), self.delta)

    def counterexample(self, rng: Generator) -> Given:
        """The class of all finite sets: some rule is right on the sample and wrong elsewhere."""
        return self.given(rng)._replace(every_set=True)

    def figure(self, given: Given) -> Figure:
        """The bound, the measured quantile and Smirnov's exact one over n."""
        from scipy.stats import ksone

        sizes = [n for n in SIZES if n < given.x.shape[1]] + [given.x.shape[1]]
        off = [given._replace(x=given.x[:1000, :n]).suprema() for n in sizes]
        more = [10, *sizes]
        return Figure(
            "Thresholds: what is promised, what happens",
            x="n",
            y="sup (R − R_S)",
            log_x=True,
            log_y=True,
            marks=(
                Curve([vc_deviation(2 * n + 1, n, self.delta) for n in more], more,
                      label="2√(2(log(2n+1) + log(2/δ))/n)", role="predicted"),
                Level(1.0, label="vacuous above", role="other"),
                Points(sizes, [float(e.quantile(1 - self.delta)) for e in off],
                       label=f"{1 - self.delta:g} quantile",
                       low=[float(e.quantile(0.1)) for e in off],
                       high=[upper_quantile(e, self.delta) for e in off]),
                Curve([float(ksone.ppf(1 - self.delta, n)) for n in more], more,
                      label="Smirnov's exact quantile", role="other", dashed=True),
            ),
            caption="Bars go from the 0.1 quantile to the upper confidence limit.",
        )  # fmt: skip
