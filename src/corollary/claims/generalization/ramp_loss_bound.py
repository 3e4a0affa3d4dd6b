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
:uses: rademacher_bound, rademacher_contraction, rademacher_linear, surrogate_losses
:covers: ramp-loss-generalization
:erratum: [notation] min(1, max(0, x)) is called the hinged loss; it is the clipped ramp, defined
    with one argument and used with two. The hinge is unbounded, so the bound for [0, 1]
    would not apply. [loose] The slack 3 sqrt(2 log(1/delta)/n) is implied by
    3 sqrt(log(2/delta)/(2n)) for delta at most 2^(-1/3): 0.734 against 0.407 at n = 100 and
    delta = 0.05.
:loose: The complexity counts both signs, and the proof uses McDiarmid's inequality twice.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, at_most, normal, option
from corollary.core.picture import Curve, Histogram, Level, Marks, picture
from corollary.theory.generalization.deviations import upper_quantile
from corollary.theory.generalization.linear_class import linear_suprema
from corollary.theory.generalization.rademacher import rademacher_deviation, random_signs
from corollary.train.losses.ramp import ramp

RULES, POPULATION = 64, 500


class Given(NamedTuple):
    z: Float[Tensor, "p d"]  # a population of signed examples y x
    place: Int[Tensor, "t n"]  # which of them each sample holds


def evenly(given: Given) -> tuple[bool, str]:
    """Every example comes, none twice as often as the average."""
    count = torch.bincount(given.place.flatten(), minlength=len(given.z)).double()
    even = bool(count.min() > 0 and count.max() < 2 * count.mean())
    return even, f"{int((count > 0).sum())} of {len(count)} were drawn"


def one_sided(given: Given) -> Given:
    """Nine tenths of the population are never drawn, and lie on the opposite side."""
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
    symbols = "1", "ratio"
    predicts = [1.0, 1.0]
    rows = "(1 − δ)-quantile of gap / bound", "largest P(y f(x) ≤ 0) / E ramp"

    def given(self, rng: Generator) -> Given:
        z = normal(rng, POPULATION, 2)  # two overlapping clouds
        z[:, 0] += 0.7
        return Given(z, torch.randint(POPULATION, (self.trials, self.n), generator=rng))

    def measure(self, given: Given, rng: Generator) -> Kept:
        """Gaps over random rules of two lengths, and the rule that fits each sample best."""
        u = normal(rng, RULES, given.z.shape[1])
        some = self.W * (u / u.norm(dim=1, keepdim=True)).T
        some[:, ::2] /= 2

        def gap(i: Tensor) -> float:
            own: Tensor = given.z[i].sum(dim=0)
            losses = ramp(given.z @ torch.cat([some, self.W * (own / own.norm())[:, None]], dim=1))
            return float((losses.mean(dim=0) - losses[i].mean(dim=0)).max())

        gaps = torch.tensor([gap(i) for i in given.place], dtype=torch.float64)
        margins = given.z @ some
        wrong = ((margins <= 0).double().mean(dim=0) / ramp(margins).mean(dim=0)).max()
        signs = random_signs(100, self.n, rng=rng)
        R = [float(linear_suprema(given.z[i], self.W, signs).mean()) for i in given.place]
        bounds = [rademacher_deviation(r, self.n, self.delta, empirical=True) for r in R]
        ratios = gaps / torch.tensor(bounds, dtype=torch.float64)
        return Kept([upper_quantile(ratios, self.delta), float(wrong)], ratios=ratios)

    def tight(self, rng: Generator) -> Given:
        """Labels by coins, in as many dimensions as examples: rules can fit every sample."""
        z = self.n**0.5 / self.W * normal(rng, POPULATION, POPULATION) / POPULATION**0.5
        return Given(z, torch.randint(POPULATION, (60, self.n), generator=rng))

    @picture("The ramp loss lies between two zero-one losses", x="margin m = y f(x)", y="loss")
    def losses(self, trial: Trial[Given]) -> Marks:
        m = torch.linspace(-1.5, 2.5, 161, dtype=torch.float64)
        yield Curve(ramp(m), m, "ramp")
        yield Curve((m <= 0).double(), m, "1[m ≤ 0]", "other")
        yield Curve((m <= 1).double(), m, "1[m ≤ 1]", "other", dashed=True)
        yield Curve((1 - m).relu(), m, "hinge, unbounded", "predicted", dashed=True)

    @picture(
        "All linear functions on samples of a population",
        x="largest gap between expected and empirical loss / bound",
        y="density over samples",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        yield Histogram(trial.kept.ratios, label="samples", bins=30)
        yield Level(trial.measured[0], "quantile, with confidence 0.99", "measured", "x")
        yield Level(1.0, label="bound", axis="x")
