r"""The empirically best function is nearly the best.

Of N functions with values in [0, 1] let :math:`f_S` have the least empirical risk and :math:`f^*`
the least risk. On every sample

.. math:: R(f_S)-R(f^*)\le2\sup_f|R(f)-R_S(f)|,

and hence *with probability at least* :math:`1-\delta`

.. math:: R(f_S)\le R(f^*)+2\sqrt{\frac{\log N+\log(2/\delta)}{2n}} .

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 59, Equations 8.4, 8.5 and 8.16.
:kind: bound
:cost: instant
:covers: erm-estimation-error
:erratum: [missing hypothesis] Theorem 59 contains delta but not "with probability at least
    1 - delta"; its proof ends with that clause (8.16). Two functions of risks 0.1 and 0.9, n = 5,
    delta = 0.99: the bound is 0.747, and with probability 1.5e-4 the worse one looks better, an
    excess of 0.8.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
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
from corollary.theory.generalization.finite_class import erm_excess, largest_deviation


class Given(NamedTuple):
    """Risks of N functions, empirical risks on repeated samples, and what each sample chose."""

    risks: Float[Tensor, " k"]
    empirical: Float[Tensor, "t k"]
    chosen: Int[Tensor, " t"]
    n: int

    def excess(self) -> Float[Tensor, " t"]:
        """How much worse than the best the chosen function is."""
        return self.risks[self.chosen] - self.risks.min()

    def suprema(self) -> Float[Tensor, " t"]:
        """The largest deviation of each sample."""
        return largest_deviation(self.risks, self.empirical)


@dataclass(frozen=True)
class ErmExcessRisk(Claim[Given]):
    """The excess risk of the minimiser, by quantile and by sample."""

    N: int = option(50, low=2, high=500)  # functions
    n: int = option(200, low=10, high=2000)  # samples
    delta: float = option(0.05, low=0.02, high=0.5)  # probability of failure
    trials: int = option(4000, low=1000, high=20000)  # repetitions
    relation = at_most(ulps=64)  # risks are multiples of 1/n, rounded when subtracted

    def given(self, rng: Generator) -> Given:
        """Risks from 0.2 to 0.8; ties go to the first."""
        risks = 0.2 + 0.6 * torch.rand(self.N, generator=rng, dtype=torch.float64)
        size = torch.full((self.trials, self.N), float(self.n), dtype=torch.float64)
        empirical = torch.binomial(size, risks.expand(self.trials, -1), generator=rng) / self.n
        return Given(risks, empirical, empirical.argmin(dim=1), self.n)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """What is chosen."""
        found = given.empirical.gather(1, given.chosen[:, None])[:, 0]
        least = bool((found == given.empirical.amin(dim=1)).all())
        yield Hypothesis("the chosen function has the least empirical risk", least)

    def predict(self, given: Given) -> list[float]:
        """The bound; and 1 for the inequality of each sample."""
        return [erm_excess(len(given.risks), given.n, self.delta), 1.0]

    def measure(self, given: Given) -> list[float]:
        """A value above the quantile of the excess; and the worst ratio of the two sides."""
        ratio = given.excess() / (2 * given.suprema())
        return [upper_quantile(given.excess(), self.delta), float(ratio.max())]

    def counterexample(self, rng: Generator) -> Given:
        """The largest empirical risk in place of the least."""
        given = self.given(rng)
        return given._replace(chosen=given.empirical.argmax(dim=1))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The two sides of the inequality on each sample; and the excess over n."""
        excess, twice = given.excess()[:600], 2 * given.suprema()[:600]
        bound = self.predict(given)[0]
        sides = Figure(
            "Choosing costs at most twice the largest deviation",
            x="2 sup |R − R_S|",
            y="R(f_S) − R(f*)",
            marks=(
                Points(twice, excess, label="a sample each"),
                Curve([0.0, bound], [0.0, bound], label="equality", role="predicted"),
                Level(bound, label="bound with probability 1 − δ", role="other", axis="x"),
            ),
        )
        return sides, self._over_n(given)

    def _over_n(self, given: Given) -> Figure:
        k, sizes = len(given.risks), [10, 20, 50, 100, 200, 500, 1000]
        rng = torch.Generator().manual_seed(int(1e6 * float(given.risks[0])))
        means, tops = [], []
        for n in sizes:
            size = torch.full((1000, k), float(n), dtype=torch.float64)
            draw = torch.binomial(size, given.risks.expand(1000, -1), generator=rng)
            lost = given.risks[draw.argmin(dim=1)] - given.risks.min()
            means.append(float(lost.mean()))
            tops.append(upper_quantile(lost, self.delta))
        return Figure(
            "What choosing on the sample costs",
            x="n",
            y="R(f_S) − R(f*)",
            log_x=True,
            log_y=True,
            marks=(
                Curve([erm_excess(k, n, self.delta) for n in sizes], sizes,
                      label="2√((log N + log(2/δ))/2n)", role="predicted"),
                Points(sizes, tops, label=f"{1 - self.delta:g} quantile"),
                Points(sizes, means, label="mean", role="other"),
            ),
        )  # fmt: skip
