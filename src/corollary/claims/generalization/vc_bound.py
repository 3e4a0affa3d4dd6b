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
:uses: hoeffding, union_bound
:loose: The constants come from a proof by symmetrisation that holds for any class; for thresholds,
    the quantile is a seventh of the bound.
:covers: vc-generalization-bound
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.generalization._draws import are_independent
from corollary.core import Claim, Suppose, Sweep, at_most, below, option, uniform
from corollary.theory.generalization.deviations import upper_quantile
from corollary.theory.generalization.shattering import (
    Labelings,
    growth,
    thresholds,
    unions_of_intervals,
)
from corollary.theory.generalization.vc import vc_deviation


def of_thresholds(x: Float[Tensor, "t n"]) -> Float[Tensor, " t"]:
    """The largest risk less empirical risk of a rule 1[x <= t], where all labels are 0."""
    share = torch.arange(x.shape[1], dtype=x.dtype) / x.shape[1]  # R_S just below each sorted point
    return (x.sort(dim=1).values - share).amax(dim=1)


class Given(NamedTuple):
    x: Float[Tensor, "t n"]  # repeated samples of uniform points labelled 0
    labelings: Labelings  # of the class
    suprema: Callable[[Tensor], Tensor]  # largest risk less empirical risk


class VcBound(Claim[Given]):
    n: int = option(500, low=10, high=2000)  # samples
    delta: float = option(0.05, low=0.01, high=0.5)  # probability of failure
    trials: int = option(3000, low=1000, high=20000)  # repetitions

    relation = at_most(ulps=8)  # a quantile with its confidence built in
    trivial = 1.0  # a risk is never larger
    supposes = (
        Suppose(
            "m points have at most m + 1 labelings",
            lambda g: below(growth(g.labelings, torch.linspace(0, 1, 10)[:, None]), 11),
            "In the class of all finite sets, some set is right on the sample and wrong elsewhere.",
            lambda g: Given(
                g.x, lambda p: unions_of_intervals(p, len(p)), lambda x: torch.ones(len(x))
            ),
        ),
        Suppose(
            "the points of a sample are independent",
            lambda g: are_independent(g.x),
            "The sample is one point, copied n times, which says little about the line.",
            x=lambda g: g.x[:, :1].expand_as(g.x),
        ),
    )
    symbols = "2√(2(log(2n+1) + log(2/δ))/n)", "1 − δ quantile of sup (R − R_S)"
    shows = Sweep(
        "Deviations and bound for thresholds on the line",
        "n",
        (20, 50, 100, 200, 500, 1000),
        log="xy",
    )

    def given(self, rng: Generator) -> Given:
        return Given(uniform(rng, self.trials, self.n), thresholds, of_thresholds)

    def predict(self, given: Given) -> float:
        n = given.x.shape[1]
        return vc_deviation(2 * n + 1, n, self.delta)

    def measure(self, given: Given) -> float:
        return upper_quantile(given.suprema(given.x), self.delta)
