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
:cost: instant
:covers: vc-bound-dimension-form
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
from corollary.theory.generalization.shattering import growth, unions_of_intervals
from corollary.theory.generalization.vc import vc_dimension_deviation, vc_samples

SIZES = (20, 50, 100, 200, 500, 1000)


class Given(NamedTuple):
    """Repeated samples of uniform points labelled 0, how many intervals a rule has, and h."""

    x: Float[Tensor, "t n"]
    k: int  # rules are unions of so many intervals; -1 for any number
    h: int  # the dimension that the bound is told

    def suprema(self) -> Float[Tensor, " t"]:
        """The largest risk less empirical risk of one interval, or of any number of them."""
        if self.k != 1:  # intervals between the sample points have risk 1 and empirical risk 0
            return torch.ones(len(self.x), dtype=self.x.dtype)
        n = self.x.shape[1]
        x = torch.nn.functional.pad(self.x.sort(dim=1).values, (1, 1))
        x[:, -1] = 1.0
        v = x - torch.arange(n + 2, dtype=x.dtype) / n
        # Between the points i < j lies the mass x_j - x_i with (j - i - 1)/n of the sample.
        return (v[:, 1:] - v.cummin(dim=1).values[:, :-1]).amax(dim=1) + 1 / n


@dataclass(frozen=True)
class VcDimensionBound(Claim[Given]):
    """The largest deviation of intervals, at the quantile that the bound speaks of."""

    n: int = option(500, low=10, high=2000)  # samples
    delta: float = option(0.05, low=0.01, high=0.5)  # probability of failure
    trials: int = option(3000, low=1000, high=20000)  # repetitions
    relation = at_most(ulps=8)  # a quantile with its confidence built in
    trivial = 1.0  # a risk is never larger

    def given(self, rng: Generator) -> Given:
        """Uniform points and intervals."""
        return Given(torch.rand(self.trials, self.n, generator=rng, dtype=torch.float64), 1, 2)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The dimension, refuted by three shattered points."""
        k = given.k if given.k > 0 else given.h + 1
        count = growth(lambda x: unions_of_intervals(x, k), given.x[0, : given.h + 1, None])
        yield Hypothesis(
            "h + 1 of the points are not shattered",
            count < 2 ** (given.h + 1),
            f"{count} labelings of {given.h + 1} points",
        )

    def predict(self, given: Given) -> float:
        """The sharper form."""
        return vc_dimension_deviation(given.h, given.x.shape[1], self.delta)

    def measure(self, given: Given) -> float:
        """A value above the quantile of the largest deviation, with confidence 0.99."""
        return upper_quantile(given.suprema(), self.delta)

    def counterexample(self, rng: Generator) -> Given:
        """Any number of intervals: the sample is cut out of the line."""
        return self.given(rng)._replace(k=-1)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Both forms and the measured quantile over n; and the samples that a gap costs."""
        sizes = [n for n in SIZES if n < given.x.shape[1]] + [given.x.shape[1]]
        off = [given._replace(x=given.x[:1000, :n]).suprema() for n in sizes]
        forms = [
            Curve([vc_dimension_deviation(given.h, n, self.delta, sharp=sharp) for n in sizes],
                  sizes, label=name, role="predicted", dashed=not sharp)
            for sharp, name in ((True, "h(log(2n/h) + 1)"), (False, "h(log 2n + 1), as printed"))
        ]  # fmt: skip
        run = Figure(
            "Intervals on the line",
            x="n",
            y="sup (R − R_S)",
            log_x=True,
            log_y=True,
            marks=(
                *forms,
                Level(1.0, label="vacuous above", role="other"),
                Points(sizes, [float(e.quantile(1 - self.delta)) for e in off],
                       label=f"{1 - self.delta:g} quantile",
                       low=[float(e.quantile(0.1)) for e in off],
                       high=[upper_quantile(e, self.delta) for e in off]),
            ),
            caption="Bars go from the 0.1 quantile to the upper confidence limit.",
        )  # fmt: skip
        return run, _price(self.delta)


def _price(delta: float) -> Figure:
    """Samples over the dimension, for three gaps."""
    hs = [1, 3, 10, 30, 100, 300, 1000, 10_000]
    marks = tuple(
        Curve([vc_samples(eps, delta, h) for h in hs], hs, label=f"gap {eps:g}", role="predicted")
        for eps in (0.3, 0.1, 0.03)
    )
    return Figure(
        "Samples that the bound asks for: in proportion to h",
        x="h",
        y="n",
        log_x=True,
        log_y=True,
        marks=marks,
    )
