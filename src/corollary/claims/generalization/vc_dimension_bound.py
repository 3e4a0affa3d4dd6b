r"""The VC bound by the dimension.

For a class of VC dimension h and :math:`2n\ge h`, with probability at least :math:`1-\delta` all f
satisfy

.. math:: R(f)\le R_S(f)+2\sqrt{\frac{2\bigl(h(\log\frac{2n}h+1)+\log\frac2\delta\bigr)}n},

and the form with :math:`h(\log2n+1)` is a weaker consequence. For a fixed gap n grows in proportion
to h. Intervals on the line have h = 2, and their largest deviation is one side of Kuiper's
statistic.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.3; Vapnik and Chervonenkis (1971),
    "On the uniform convergence of relative frequencies of events to their probabilities".
:kind: bound
:uses: vc_bound, sauer_shelah
:loose: The constants come from a proof by symmetrisation that holds for any class; for intervals,
    the quantile is a sixth of the bound.
:covers: vc-bound-dimension-form
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
    intervals,
    unions_of_intervals,
)
from corollary.theory.generalization.vc import vc_dimension_deviation


def of_intervals(x: Float[Tensor, "t n"]) -> Float[Tensor, " t"]:
    """The largest risk less empirical risk of an interval, where all labels are 0."""
    n = x.shape[1]
    ends = torch.nn.functional.pad(x.sort(dim=1).values, (1, 1))
    ends[:, -1] = 1.0
    v = ends - torch.arange(n + 2, dtype=x.dtype) / n
    # Between the points i < j lies the mass x_j - x_i with (j - i - 1)/n of the sample.
    return (v[:, 1:] - v.cummin(dim=1).values[:, :-1]).amax(dim=1) + 1 / n


class Given(NamedTuple):
    x: Float[Tensor, "t n"]  # repeated samples of uniform points labelled 0
    labelings: Labelings  # of the class
    suprema: Callable[[Tensor], Tensor]  # largest risk less empirical risk
    h: int  # dimension


class VcDimensionBound(Claim[Given]):
    n: int = option(500, low=10, high=2000)  # samples
    delta: float = option(0.05, low=0.01, high=0.5)  # probability of failure
    trials: int = option(3000, low=1000, high=20000)  # repetitions

    relation = at_most(ulps=8)  # a quantile with its confidence built in
    trivial = 1.0  # a risk is never larger
    supposes = (
        Suppose(
            "h + 1 points are not shattered",
            lambda g: below(
                growth(g.labelings, torch.linspace(0, 1, g.h + 1)[:, None]), 2 ** (g.h + 1) - 1
            ),
            "A union of any number of intervals can exclude exactly the sample.",
            labelings=lambda _: lambda p: unions_of_intervals(p, len(p)),
            suprema=lambda _: lambda x: torch.ones(len(x)),
        ),
        Suppose(
            "the points of a sample are independent",
            lambda g: are_independent(g.x),
            "The sample is one point, copied n times, and an interval beside it has half of the "
            "mass.",
            x=lambda g: g.x[:, :1].expand_as(g.x),
        ),
    )
    symbols = "2√(2(h(log(2n/h) + 1) + log(2/δ))/n)", "1 − δ quantile of sup (R − R_S)"
    shows = Sweep(
        "Deviations and bound for intervals on the line",
        "n",
        (20, 50, 100, 200, 500, 1000),
        log="xy",
    )

    def given(self, rng: Generator) -> Given:
        return Given(uniform(rng, self.trials, self.n), intervals, of_intervals, 2)

    def predict(self, given: Given) -> float:
        return vc_dimension_deviation(given.h, given.x.shape[1], self.delta)

    def measure(self, given: Given) -> float:
        return upper_quantile(given.suprema(given.x), self.delta)
