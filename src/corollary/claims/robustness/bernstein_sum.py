r"""Bernstein's inequality.

If :math:`X_1,\dots,X_k` are i.i.d., centred and
:math:`\mathbb E|X|^q\le\frac{q!}2s^2c^{q-2}` for all :math:`q\ge2`, then with probability at least
:math:`1-\gamma`

.. math:: \sum_{j=1}^kX_j\le\sqrt{2s^2k\log(1/\gamma)}+c\log(1/\gamma).

The first term is what a normal sum of variance :math:`ks^2` would have, the second pays for heavier
tails. For variables that are bounded but mostly small it beats Hoeffding, which knows the range
alone. Measured: the exact probability to exceed the bound, for centred exponential variables.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.1, Theorem 76; Boucheron, Lugosi
    and Massart (2013), Concentration Inequalities, Theorem 2.10.
:kind: bound
:cost: instant
:covers: bernstein-inequality
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.generalization.deviations import hoeffding_deviation
from corollary.theory.robustness.concentration import bernstein_bound, bounded_constants


class Given(NamedTuple):
    """The constants that are supposed, and sums that were drawn (for the figure)."""

    k: int
    s2: float
    c: float
    sums: Float[Tensor, " t"]


class BernsteinSum(Claim[Given]):
    k: int = option(50, low=1, high=10000)  # variables
    draws: int = option(20000, low=100, high=100000)  # sums in the figure
    relation = at_most(ulps=64)  # the incomplete gamma function of scipy

    def given(self, rng: Generator) -> Given:
        """Exponential variables minus 1: s = c = 1."""
        u = torch.rand(self.draws, min(self.k, 200), generator=rng, dtype=torch.float64)
        return Given(self.k, 1.0, 1.0, (-torch.log1p(-u) - 1).sum(dim=1))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Moments of the law, the first thirty of them."""
        fits = all(
            _moment(q) <= math.factorial(q) / 2 * given.s2 * given.c ** (q - 2) * (1 + 1e-12)
            for q in range(2, 30)
        )
        yield Hypothesis("the moments satisfy the condition with s and c", fits)

    def predict(self, given: Given) -> list[float]:
        """The probabilities that are granted."""
        return list(_GAMMAS)

    def measure(self, given: Given) -> list[float]:
        """Those that the bound is exceeded with."""
        return [_tail(given.k, bernstein_bound(given.k, given.s2, given.c, g)) for g in _GAMMAS]

    def counterexample(self, rng: Generator) -> Given:
        """As if the variables were sub-Gaussian: c = 0."""
        return self.given(rng)._replace(c=0.0)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Quantiles of the sum, and bounded variables of small variance."""
        grid = [10 ** (-i / 4) for i in range(1, 25)]
        seen = [g for g in grid if g * self.draws >= 10]
        tails = Figure(
            f"Sums of k = {given.k} centred exponentials",
            x="γ",
            y="value exceeded with probability γ",
            log_x=True,
            marks=(
                Curve([bernstein_bound(given.k, given.s2, given.c, g) for g in grid], grid,
                      label="Bernstein", role="predicted"),
                Curve([_quantile(given.k, g) for g in grid], grid, label="exact"),
                Points(seen, [float(given.sums.quantile(1 - g)) for g in seen],
                       label="drawn sums"),
                Curve([bernstein_bound(given.k, given.s2, 0.0, g) for g in grid], grid,
                      label="without the second term: false", role="other", dashed=True),
            ),
        )  # fmt: skip
        variances = [10 ** (-i / 5) for i in range(11)]
        k, gamma = 1000, 0.01
        small = [bernstein_bound(k, *bounded_constants(v, 1.0), gamma) for v in variances]
        compare = Figure(
            f"Variables in [−1, 1]: the sum of k = {k}, γ = {gamma}",
            x="variance",
            y="bound on the sum",
            log_x=True,
            marks=(
                Curve(small, variances, label="Bernstein", role="predicted"),
                Curve([k * hoeffding_deviation(k, gamma, a=-1.0, b=1.0, sides=1)] * len(variances),
                      variances, label="Hoeffding", role="other"),
            ),
        )  # fmt: skip
        return tails, compare


_GAMMAS = (0.5, 0.1, 0.01, 1e-3, 1e-4)


def _tail(k: int, t: float) -> float:
    """P(sum of exponentials - k > t): a Gamma(k) variable above k + t."""
    from scipy.special import gammaincc

    return float(gammaincc(k, k + t))


def _quantile(k: int, gamma: float) -> float:
    from scipy.special import gammainccinv

    return float(gammainccinv(k, gamma)) - k


def _moment(q: int) -> float:
    """E|X - 1|^q of an exponential variable, the part above 1 in closed form."""
    from scipy.integrate import quad

    below = quad(lambda t: (1 - t) ** q * math.exp(-t), 0, 1)[0]
    return below + math.factorial(q) / math.e
