r"""Excess risk of empirical risk minimisation is at most twice the largest deviation.

Of N functions with values in [0, 1] let :math:`f_S` have the least empirical risk and :math:`f^*`
the least risk. On every sample

.. math:: R(f_S)-R(f^*)\le2\sup_f|R(f)-R_S(f)|,

and hence *with probability at least* :math:`1-\delta`

.. math:: R(f_S)\le R(f^*)+2\sqrt{\frac{\log N+\log(2/\delta)}{2n}} .

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 59, Equations 8.4, 8.5 and 8.16.
:kind: bound
:uses: union_bound
:covers: erm-estimation-error
:erratum: [missing hypothesis] Theorem 59 contains delta but not "with probability at least
    1 - delta"; its proof ends with that clause (8.16). Two functions of risks 0.1 and 0.9, n = 5,
    delta = 0.99: the bound is 0.747, and with probability 1.5e-4 the worse one looks better, an
    excess of 0.8.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Sweep, Trial, at_most, option, uniform
from corollary.core.picture import Curve, Level, Marks, Points, picture
from corollary.theory.generalization.deviations import upper_quantile
from corollary.theory.generalization.finite_class import erm_excess, largest_deviation


class Given(NamedTuple):
    """Risks of N functions, empirical risks on repeated samples, and what each sample chose."""

    risks: Float[Tensor, " k"]
    empirical: Float[Tensor, "t k"]
    chosen: Int[Tensor, " t"]
    n: int


def chose_least(given: Given) -> bool:
    """Whether each choice has the least empirical risk."""
    found = given.empirical.gather(1, given.chosen[:, None])[:, 0]
    return bool((found == given.empirical.amin(dim=1)).all())


def is_unbiased(given: Given) -> tuple[bool, str]:
    """How far mean empirical risks are from the risks, in standard errors."""
    r, (t, _) = given.risks, given.empirical.shape
    error = (r * (1 - r) / (given.n * t)).sqrt()
    off = float(((given.empirical.mean(dim=0) - r).abs() / error).max())
    return off < 6, f"largest difference of mean empirical risks: {off:.2g} standard errors"


class ErmExcessRisk(Claim[Given]):
    N: int = option(50, low=2, high=500)  # functions
    n: int = option(200, low=10, high=2000)  # samples
    delta: float = option(0.05, low=0.02, high=0.5)  # probability of failure
    trials: int = option(4000, low=1000, high=20000)  # repetitions

    relation = at_most(ulps=64)  # risks are multiples of 1/n, rounded when subtracted
    supposes = (
        Suppose(
            "the chosen function has the least empirical risk",
            chose_least,
            "The function with the largest empirical risk is chosen.",
            chosen=lambda g: g.empirical.argmax(dim=1),
        ),
        Suppose(
            "the samples come from the distribution of the risk R",
            is_unbiased,
            "All labels of the samples are flipped, so the best function on them is the worst.",
            empirical=lambda g: 1 - g.empirical,
            chosen=lambda g: (1 - g.empirical).argmin(dim=1),
        ),
    )
    symbols = "bound", "R(f_S) − R(f*)"
    rows = "1 − δ quantile", "largest ratio to 2 sup |R − R_S|"
    shows = Sweep(
        "Excess risk of the function chosen on the sample", "n", (10, 30, 100, 300, 1000), log="xy"
    )

    def given(self, rng: Generator) -> Given:
        risks = 0.2 + 0.6 * uniform(rng, self.N)
        size = torch.full((self.trials, self.N), float(self.n), dtype=torch.float64)
        empirical = torch.binomial(size, risks.expand_as(size), generator=rng) / self.n
        return Given(risks, empirical, empirical.argmin(dim=1), self.n)

    def predict(self, given: Given) -> list[float]:
        return [erm_excess(len(given.risks), given.n, self.delta), 1.0]

    def measure(self, given: Given) -> Kept:
        excess = given.risks[given.chosen] - given.risks.min()
        twice = 2 * largest_deviation(given.risks, given.empirical)
        found = [upper_quantile(excess, self.delta), float((excess / twice).nan_to_num(0.0).max())]
        return Kept(found, excess=excess, twice=twice)

    def tight(self, rng: Generator) -> Given:
        """A function of risk 0.4 and its negation: on a tie the second may be chosen."""
        size = torch.full((1000,), 10.0, dtype=torch.float64)
        first = torch.binomial(size, torch.full_like(size, 0.4), generator=rng) / 10
        both = torch.stack([first, 1 - first], dim=1)
        risks = torch.tensor([0.4, 0.6], dtype=torch.float64)
        return Given(risks, both, (first >= 0.5).long(), 10)

    @picture("The excess risk is at most twice the largest deviation", x="2 sup |R − R_S|")
    def marks(self, trial: Trial[Given]) -> Marks:
        bound, kept = trial.predicted[0], trial.kept
        yield Points(kept.twice[:600], kept.excess[:600], label="a sample each")
        yield Curve([0.0, bound], [0.0, bound], label="equality", role="predicted")
        yield Level(bound, label="bound with probability 1 − δ", role="other", axis="x")
