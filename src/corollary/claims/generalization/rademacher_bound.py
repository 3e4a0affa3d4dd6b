r"""The Rademacher bound.

For functions with values in [0, 1] and m i.i.d. samples, with probability at least
:math:`1-\delta` all of them satisfy

.. math:: \mathbb Ef\le\hat{\mathbb E}_Sf+2\mathcal R_m(\mathcal F)
   +\sqrt{\frac{\log(1/\delta)}{2m}}\qquad\text{and}\qquad
   \mathbb Ef\le\hat{\mathbb E}_Sf+2\hat{\mathcal R}_S(\mathcal F)
   +3\sqrt{\frac{\log(2/\delta)}{2m}},

each on its own. For thresholds on the line :math:`\hat{\mathcal R}_S` is the mean maximum of a
random walk, the same for every sample of different points, and known exactly.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 62 and Section 8.5, Problem 1;
    Bartlett and Mendelson (2002), "Rademacher and Gaussian complexities: risk bounds and structural
    results".
:kind: bound
:cost: instant
:covers: rademacher-uniform-convergence
:erratum: [loose] The slack sqrt(log(1/delta)/m) of Theorem 62 is valid but sqrt(2) larger than what
    McDiarmid gives, sqrt(log(1/delta)/(2m)): 0.122 for 0.0865 at m = 200 and delta = 0.05. [typo]
    Steps 4 and 5 of the proof sketch lack the factor 1/m and the expectation over the signs.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.generalization.deviations import upper_quantile
from corollary.theory.generalization.rademacher import rademacher_deviation, threshold_complexity

SIZES = (10, 20, 50, 100, 200, 500, 1000)


class Given(NamedTuple):
    """Repeated samples of uniform points."""

    x: Float[Tensor, "t m"]

    def suprema(self) -> Float[Tensor, " t"]:
        """The largest expectation less sample mean of a threshold 1[x <= t]."""
        m = self.x.shape[1]
        below = torch.arange(m, dtype=self.x.dtype) / m
        order = self.x.sort(dim=1).values
        # Just below a point, the sample mean counts only what is strictly smaller.
        first = (order[:, 1:] > order[:, :-1]).double()
        place = torch.cat([torch.ones_like(first[:, :1]), first], dim=1) * below
        return (order - place.cummax(dim=1).values).amax(dim=1)


@dataclass(frozen=True)
class RademacherBound(Claim[Given]):
    """The largest deviation of thresholds, at the quantile that the bounds speak of."""

    m: int = option(200, low=10, high=2000)  # samples
    delta: float = option(0.05, low=0.01, high=0.5)  # probability of failure
    trials: int = option(4000, low=1000, high=20000)  # repetitions
    relation = at_most(ulps=8)  # a quantile with its confidence built in
    trivial = 1.0  # an expectation is never larger

    def given(self, rng: Generator) -> Given:
        """Independent points."""
        return Given(torch.rand(self.trials, self.m, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Independent draws of a continuous law never coincide."""
        order = given.x.sort(dim=1).values
        apart = bool((order[:, 1:] > order[:, :-1]).all())
        yield Hypothesis("the points of a sample are independent draws, all different", apart)

    def predict(self, given: Given) -> list[float]:
        """The bound by the expected complexity, and the one by that of the sample."""
        m = given.x.shape[1]
        R = threshold_complexity(m)
        return [rademacher_deviation(R, m, self.delta, empirical=e) for e in (False, True)]

    def measure(self, given: Given) -> float:
        """A value above the quantile of the largest deviation, with confidence 0.99."""
        return upper_quantile(given.suprema(), self.delta)

    def counterexample(self, rng: Generator) -> Given:
        """Two draws, copied: the sample has size m in name only."""
        x = torch.rand(self.trials, 2, generator=rng, dtype=torch.float64)
        return Given(x.repeat(1, (self.m + 1) // 2))

    def figure(self, given: Given) -> Figure:
        """The terms of the bound and the measured quantile over m."""
        sizes = [m for m in SIZES if m < given.x.shape[1]] + [given.x.shape[1]]
        off = [Given(given.x[:2000, :m]).suprema() for m in sizes]
        d = self.delta
        bounds = {
            "2 R_m + √(log(1/δ)/2m)": [
                rademacher_deviation(threshold_complexity(m), m, d) for m in sizes
            ],
            "2 R_S + 3√(log(2/δ)/2m)": [
                rademacher_deviation(threshold_complexity(m), m, d, empirical=True) for m in sizes
            ],
        }
        printed = [2 * threshold_complexity(m) + math.sqrt(math.log(1 / d) / m) for m in sizes]
        return Figure(
            "Thresholds on the line: complexity and deviation",
            x="m",
            y="sup (E f − sample mean)",
            log_x=True,
            log_y=True,
            marks=(
                *(Curve(v, sizes, label=k, role="predicted") for k, v in bounds.items()),
                Curve(printed, sizes, label="slack as printed", role="other", dashed=True),
                Points(
                    sizes,
                    [float(e.quantile(1 - d)) for e in off],
                    label=f"{1 - d:g} quantile",
                    low=[float(e.quantile(0.1)) for e in off],
                    high=[upper_quantile(e, d) for e in off],
                ),
            ),
            caption="Bars go from the 0.1 quantile to the upper confidence limit.",
        )
