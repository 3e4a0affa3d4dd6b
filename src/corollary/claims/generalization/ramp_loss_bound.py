r"""A margin bound by the ramp loss.

For the ramp :math:`\ell(m)=\min(1,\max(0,1-m))` of the margin :math:`m=yf(x)`, with probability at
least :math:`1-\delta` over n i.i.d. examples all f of the class satisfy

.. math:: P(yf(x)\le0)\le\mathbb E\,\ell\le\frac1n\sum_i\ell(y_if(x_i))
   +2\hat{\mathcal R}_S(\mathcal F)+3\sqrt{\frac{\log(2/\delta)}{2n}},

because the ramp is 1-Lipschitz with values in [0, 1]. Here f is linear with
:math:`\|w\|\le W`, whose complexity is :math:`\frac Wn\mathbb E_\sigma\|\sum_i\sigma_ix_i\|`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.5, Problem 1c; Bartlett and
    Mendelson (2002), "Rademacher and Gaussian complexities: risk bounds and structural results".
:kind: bound
:cost: instant
:covers: ramp-loss-generalization
:erratum: [notation] min(1, max(0, x)) is called the hinged loss; it is the clipped ramp, defined
    with one argument and used with two. The hinge is unbounded, so the bound for [0, 1]
    would not apply. [loose] The slack 3 sqrt(2 log(1/delta)/n) is implied by
    3 sqrt(log(2/delta)/(2n)) for delta at most 2^(-1/3): 0.734 against 0.407 at n = 100 and
    delta = 0.05.
:loose: The complexity counts both signs, and McDiarmid's inequality is paid for twice.
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, at_most, normal, option
from corollary.core.picture import Histogram, Level, Marks, picture
from corollary.theory.generalization.deviations import upper_quantile
from corollary.theory.generalization.linear_class import linear_suprema
from corollary.theory.generalization.rademacher import rademacher_deviation, random_signs
from corollary.train.losses.ramp import ramp

ANGLES, POPULATION = 32, 500


class Given(NamedTuple):
    z: Float[Tensor, "p 2"]  # a population of signed examples y x
    place: Int[Tensor, "t n"]  # which of them each sample holds


def evenly(given: Given) -> tuple[bool, str]:
    """Every example comes, none twice as often as the average."""
    count = torch.bincount(given.place.flatten(), minlength=len(given.z)).double()
    even = bool(count.min() > 0 and count.max() < 2 * count.mean())
    return even, f"{int((count > 0).sum())} of {len(count)} were drawn"


def one_sided(given: Given) -> Given:
    """Nine tenths of the population are never drawn, and lie on the other side."""
    part = len(given.z) // 10
    z = given.z.abs() + 2
    return Given(torch.cat([z[:part], -z[part:]]), given.place % part)


class RampLossBound(Claim[Given]):
    n: int = option(200, low=10, high=500)  # examples
    W: float = option(1.0, low=0.5, high=10.0)  # length allowed to the weights
    delta: float = option(0.1, low=0.02, high=0.5)  # probability of failure
    trials: int = option(400, low=200, high=5000)  # repetitions

    relation = at_most(ulps=8)  # a quantile with its confidence built in
    supposes = Suppose(
        "the examples are drawn uniformly from the population", evenly, without=one_sided
    )
    symbols = "1", "(1 − δ)-quantile of gap / bound"

    def given(self, rng: Generator) -> Given:
        z = normal(rng, POPULATION, 2)  # two overlapping clouds
        z[:, 0] += 0.7
        return Given(z, torch.randint(POPULATION, (self.trials, self.n), generator=rng))

    def predict(self, given: Given) -> float:
        return 1.0

    def measure(self, given: Given, rng: Generator) -> Kept:
        turn = torch.arange(ANGLES, dtype=torch.float64) * (2 * math.pi / ANGLES)
        circle = self.W * torch.stack([turn.cos(), turn.sin()])
        losses = ramp(given.z @ torch.cat([circle / 2, circle], dim=1))  # p k
        seen = torch.stack([losses[i].mean(dim=0) for i in given.place])
        gaps = (losses.mean(dim=0) - seen).amax(dim=1)
        signs = random_signs(100, self.n, rng=rng)
        R = [float(linear_suprema(given.z[i], self.W, signs).mean()) for i in given.place]
        bounds = [rademacher_deviation(r, self.n, self.delta, empirical=True) for r in R]
        ratios = gaps / torch.tensor(bounds, dtype=torch.float64)
        return Kept(upper_quantile(ratios, self.delta), ratios=ratios)

    @picture(
        "All linear functions on samples of a population",
        x="largest gap between expected and empirical loss / bound",
        y="density over samples",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        yield Histogram(trial.kept.ratios, label="samples", bins=30)
        yield Level(trial.measured, "quantile, with confidence 0.99", "measured", "x")
        yield Level(1.0, label="bound", axis="x")
