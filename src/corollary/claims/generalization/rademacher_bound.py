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
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.generalization._draws import are_independent
from corollary.core import Claim, Suppose, Trial, at_most, option, uniform
from corollary.core.figure import Curve, Figure, Points
from corollary.theory.generalization.deviations import upper_quantile
from corollary.theory.generalization.rademacher import rademacher_deviation, threshold_complexity

SIZES = (10, 20, 50, 100, 200, 500, 1000)


class Given(NamedTuple):
    """Repeated samples of uniform points."""

    x: Float[Tensor, "t m"]


def suprema(x: Float[Tensor, "t m"]) -> Float[Tensor, " t"]:
    """The largest expectation less sample mean of a threshold 1[x <= t]."""
    below = torch.arange(x.shape[1], dtype=x.dtype) / x.shape[1]
    order = x.sort(dim=1).values
    # Just below a point, the sample mean counts only what is strictly smaller.
    first = (order[:, 1:] > order[:, :-1]).double()
    place = torch.cat([torch.ones_like(first[:, :1]), first], dim=1) * below
    return (order - place.cummax(dim=1).values).amax(dim=1)


class RademacherBound(Claim[Given]):
    m: int = option(200, low=10, high=2000)  # samples
    delta: float = option(0.005, low=0.005, high=0.5)  # probability of failure
    trials: int = option(4000, low=1000, high=20000)  # repetitions

    relation = at_most(ulps=8)  # a quantile with its confidence built in
    trivial = 1.0  # an expectation is never larger
    supposes = (
        Suppose(
            "the points of a sample are independent",
            lambda g: are_independent(g.x),
            "Two draws, copied: the sample has size m in name only.",
            x=lambda g: g.x[:, :2].repeat(1, (g.x.shape[1] + 1) // 2),
        ),
    )
    symbols = "bound", "1 − δ quantile of sup (E f − sample mean)"
    rows = "2 R_m + √(log(1/δ)/2m)", "2 R_S + 3√(log(2/δ)/2m)"

    def given(self, rng: Generator) -> Given:
        return Given(uniform(rng, self.trials, self.m))

    def predict(self, given: Given) -> list[float]:
        m = given.x.shape[1]
        R = threshold_complexity(m)
        return [rademacher_deviation(R, m, self.delta, empirical=e) for e in (False, True)]

    def measure(self, given: Given) -> float:
        return upper_quantile(suprema(given.x), self.delta)

    def figure(self, trial: Trial[Given]) -> Figure:
        x, d = trial.given.x, self.delta
        sizes = [m for m in SIZES if m < x.shape[1]] + [x.shape[1]]
        off, R = [suprema(x[:2000, :m]) for m in sizes], [threshold_complexity(m) for m in sizes]
        both = list(zip(R, sizes, strict=True))
        mean, own = (
            [rademacher_deviation(r, m, d, empirical=e) for r, m in both] for e in (False, True)
        )
        printed = [2 * r + math.sqrt(math.log(1 / d) / m) for r, m in both]
        low, high = [float(e.quantile(0.1)) for e in off], [upper_quantile(e, d) for e in off]
        found, label = [float(e.quantile(1 - d)) for e in off], f"{1 - d:g} quantile"
        marks = (
            Curve(mean, sizes, label=self.rows[0], role="predicted"),
            Curve(own, sizes, label=self.rows[1], role="predicted"),
            Curve(printed, sizes, label="slack as printed", role="other", dashed=True),
            Points(sizes, found, label=label, low=low, high=high),
        )
        title = "Thresholds on the line: complexity and deviation"
        caption = "Bars go from the 0.1 quantile to the upper confidence limit."
        axes: dict[str, Any] = {
            "x": "m",
            "y": "sup (E f − sample mean)",
            "log_x": True,
            "log_y": True,
        }
        return Figure(title, marks=marks, caption=caption, **axes)
