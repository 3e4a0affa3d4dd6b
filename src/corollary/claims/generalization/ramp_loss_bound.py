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
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Histogram, Hypothesis, Level, at_most, option
from corollary.theory.generalization.deviations import upper_quantile
from corollary.theory.generalization.linear_class import linear_suprema
from corollary.theory.generalization.rademacher import rademacher_deviation, random_signs
from corollary.train.losses.ramp import ramp
from corollary.train.losses.zero_one import zero_one_of_margin

ANGLES, POPULATION = 32, 500


class Given(NamedTuple):
    """A population of signed examples y x, repeated samples from it, and the class."""

    z: Float[Tensor, "p 2"]
    place: Int[Tensor, "t n"]  # which examples each sample holds
    W: float
    seed: int

    def weights(self) -> Float[Tensor, "k 2"]:
        """Weights on circles up to the largest length."""
        turn = torch.arange(ANGLES, dtype=self.z.dtype) * (2 * math.pi / ANGLES)
        circle = torch.stack([turn.cos(), turn.sin()], dim=1)
        return torch.cat([self.W * s * circle for s in (0.5, 1.0)])

    def gaps(self) -> Float[Tensor, " t"]:
        """The largest expected less empirical ramp loss on each sample."""
        w = self.weights()
        losses = ramp(self.z @ w.T)  # p k
        seen = torch.stack([losses[i].mean(dim=0) for i in self.place])
        return (losses.mean(dim=0) - seen).amax(dim=1)

    def complexities(self) -> Float[Tensor, " t"]:
        """The empirical complexity of the linear class on each sample, by random signs."""
        rng = torch.Generator().manual_seed(self.seed)
        signs = random_signs(100, self.place.shape[1], rng=rng)
        return torch.stack([linear_suprema(self.z[i], self.W, signs).mean() for i in self.place])


class RampLossBound(Claim[Given]):
    n: int = option(200, low=10, high=500)  # examples
    W: float = option(1.0, low=0.5, high=10.0)  # length allowed to the weights
    delta: float = option(0.1, low=0.02, high=0.5)  # probability of failure
    trials: int = option(400, low=200, high=5000)  # repetitions
    relation = at_most(ulps=8)  # a quantile with its confidence built in

    def given(self, rng: Generator) -> Given:
        """Two overlapping clouds as a population, samples drawn with replacement."""
        z = torch.randn(POPULATION, 2, generator=rng, dtype=torch.float64)
        z[:, 0] += 0.7
        place = torch.randint(POPULATION, (self.trials, self.n), generator=rng)
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(z, place, self.W, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Uniform draws: every example comes, none twice as often as the average."""
        count = torch.bincount(given.place.flatten(), minlength=len(given.z))
        even = bool(count.min() > 0) and float(count.max()) < 2 * float(count.double().mean())
        yield Hypothesis(
            "the examples are drawn uniformly from the population",
            even,
            f"{int((count > 0).sum())} of {len(count)} were drawn",
        )

    def predict(self, given: Given) -> float:
        """Gap over bound is at most 1."""
        return 1.0

    def measure(self, given: Given) -> float:
        """A value above the quantile of gap over bound, with confidence 0.99."""
        n = given.place.shape[1]
        bound = [rademacher_deviation(float(r), n, self.delta, empirical=True)
                 for r in given.complexities()]  # fmt: skip
        return upper_quantile(given.gaps() / torch.tensor(bound, dtype=torch.float64), self.delta)

    def counterexample(self, rng: Generator) -> Given:
        """Nine tenths of the population are never drawn, and lie on the other side."""
        given = self.given(rng)
        part = POPULATION // 10
        z = given.z.abs() + 2
        z[part:] = -z[part:]
        return given._replace(z=z, place=given.place % part)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The ramp between two zero-one losses; and gaps beside bounds."""
        m = torch.linspace(-1.5, 2.5, 161, dtype=torch.float64)
        losses = Figure(
            "The ramp lies between two step functions",
            x="m = y f(x)",
            y="loss",
            marks=(
                Curve(ramp(m), m, label="ramp"),
                Curve(zero_one_of_margin(m), m, label="1[m ≤ 0]", role="other"),
                Curve(zero_one_of_margin(m - 1), m, label="1[m ≤ 1]", role="other", dashed=True),
                Curve((1 - m).relu(), m, label="hinge, unbounded", role="predicted", dashed=True),
            ),
        )
        n = given.place.shape[1]
        R = float(given.complexities().mean())
        bound = rademacher_deviation(R, n, self.delta, empirical=True)
        bars = Figure(
            f"All linear f with |w| ≤ {given.W:g} on samples of n = {n}",
            x="sup (E ℓ − mean ℓ)",
            y="density over samples",
            marks=(
                Histogram(given.gaps(), label="largest gap", bins=30),
                Level(2 * R, label="2 R_S", role="other", axis="x"),
                Level(bound, label="2 R_S + 3√(log(2/δ)/2n)", axis="x"),
            ),
        )
        return losses, bars
