r"""Hoeffding's inequality for one function.

If :math:`f(Z)\in[a,b]` and f does not depend on the n i.i.d. samples,

.. math:: P\Bigl(\Bigl|\mathbb Ef(Z)-\frac1n\sum_if(Z_i)\Bigr|>\epsilon\Bigr)\le
   2\exp\Bigl(-\frac{2n\epsilon^2}{(b-a)^2}\Bigr),

so with probability at least :math:`1-\delta` the deviation is at most
:math:`(b-a)\sqrt{\log(2/\delta)/2n}`. The samples may be of any kind, but bounded they must be, and
f must have been chosen before them.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.1, Equation 8.1; Hoeffding (1963),
    "Probability inequalities for sums of bounded random variables", Theorem 2.
:kind: bound
:covers: hoeffding-single-function
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.generalization._draws import are_independent, tail
from corollary.core import Claim, Count, Kept, Suppose, Trial, at_most, option, uniform
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.theory.generalization.deviations import hoeffding_deviation, hoeffding_probability


class Given(NamedTuple):
    values: Float[Tensor, "t n"]  # repeated samples of f(Z)
    mean: float  # expectation of f(Z)
    a: float  # least value that f is said to have
    b: float  # largest
    eps: float  # deviation


def in_range(given: Given) -> tuple[bool, str]:
    """The least and the largest value."""
    low, high = float(given.values.min()), float(given.values.max())
    return given.a <= low and high <= given.b, f"from {low:.3g} to {high:.3g}"


def rarely_large(given: Given, rng: Generator) -> Given:
    """The values are 2n with probability 1/2n, else 0, so most samples contain only zeros."""
    t, n = given.values.shape
    return given._replace(values=2.0 * n * (uniform(rng, t, n) < 1 / (2 * n)), mean=1.0)


class Hoeffding(Claim[Given]):
    n: int = option(100, low=1, high=1000)  # samples
    delta: float = option(0.1, low=0.01, high=0.9)  # probability of failure
    law: Literal["coin", "uniform", "rare"] = "coin"  # fair, uniform on [0, 1], or 1 in 1/10
    trials: int = option(20000, low=1000, high=50000)  # repetitions

    relation = at_most(level=0.999)  # the exact binomial interval of the failure rate
    supposes = (
        Suppose("the values lie in [a, b]", in_range, without=rarely_large),
        Suppose(
            "the values of a sample are independent",
            lambda g: are_independent(g.values),
            "The sample is one value, copied n times, so its mean varies like a single value.",
            values=lambda g: g.values[:, :1].expand_as(g.values),
        ),
    )
    symbols = "2 exp(−2nε²/(b−a)²)", "P(|mean − E f| > ε)"

    def given(self, rng: Generator) -> Given:
        u, p = uniform(rng, self.trials, self.n), 0.1 if self.law == "rare" else 0.5
        values = u if self.law == "uniform" else (u < p).double()
        return Given(values, p, 0.0, 1.0, hoeffding_deviation(self.n, self.delta))

    def predict(self, given: Given) -> float:
        n = given.values.shape[1]
        return hoeffding_probability(n, given.eps, a=given.a, b=given.b)

    def measure(self, given: Given) -> Kept:
        off = (given.values.mean(dim=1) - given.mean).abs()
        return Kept(Count(int((off > given.eps).sum()), len(off)), off=off)

    def tight(self) -> Given:
        """One throw of a fair coin is always off by 1/2, where the bound is 2 e^(−1/2)."""
        coin = torch.tensor([[0.0], [1.0]], dtype=torch.float64)
        return Given(coin.repeat(1000, 1), 0.5, 0.0, 1.0, 0.4999)

    @picture("Probability that a mean of {n} values deviates", x="ε", log="y")
    def marks(self, trial: Trial[Given]) -> Marks:
        (_, _, a, b, eps), n = trial.given, trial.given.values.shape[1]
        grid = [1.4 * eps * i / 24 for i in range(1, 25)]
        bound = [min(1.0, hoeffding_probability(n, e, a=a, b=b)) for e in grid]
        yield Curve(bound, grid, label=self.symbols[0], role="predicted")
        yield tail(trial.kept.off, grid, "share of samples")
        yield Level(eps, label="ε for δ", role="other", axis="x")
