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
:uses: mcdiarmid, symmetrisation
:covers: rademacher-uniform-convergence
:erratum: [loose] The slack sqrt(log(1/delta)/m) of Theorem 62 is valid but sqrt(2) larger than what
    McDiarmid gives, sqrt(log(1/delta)/(2m)): 0.122 for 0.0865 at m = 200 and delta = 0.05. [typo]
    Steps 4 and 5 of the proof sketch lack the factor 1/m and the expectation over the signs.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.generalization._draws import are_independent
from corollary.core import Claim, Suppose, Sweep, at_most, option, uniform
from corollary.theory.generalization.deviations import upper_quantile
from corollary.theory.generalization.rademacher import rademacher_deviation, threshold_complexity


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
    supposes = Suppose(
        "the points of a sample are independent",
        lambda g: are_independent(g.x),
        "The sample consists of copies of two draws, so it is much smaller than m.",
        x=lambda g: g.x[:, :2].repeat(1, (g.x.shape[1] + 1) // 2),
    )
    symbols = "bound", "1 − δ quantile of sup (E f − sample mean)"
    rows = "2 R_m + √(log(1/δ)/2m)", "2 R_S + 3√(log(2/δ)/2m)"
    shows = Sweep(
        "Deviations and bounds for thresholds on the line",
        "m",
        (10, 20, 50, 100, 200, 500),
        log="xy",
    )

    def given(self, rng: Generator) -> Given:
        return Given(uniform(rng, self.trials, self.m))

    def predict(self, given: Given) -> list[float]:
        m = given.x.shape[1]
        R = threshold_complexity(m)
        return [rademacher_deviation(R, m, self.delta, empirical=e) for e in (False, True)]

    def measure(self, given: Given) -> float:
        return upper_quantile(suprema(given.x), self.delta)
