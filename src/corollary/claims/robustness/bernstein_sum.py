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
:covers: bernstein-inequality
:loose: the bound holds for every distribution with such moments, and exponential tails are thinner.
"""

import math
from typing import NamedTuple

from torch import Generator

from corollary.core import Along, Claim, Suppose, at_most, option
from corollary.theory.robustness.concentration import bernstein_bound


class Given(NamedTuple):
    k: int  # variables
    s2: float  # the constants that are supposed
    c: float


def _moment(q: int) -> float:
    """E|X - 1|^q of an exponential variable, the part above 1 in closed form."""
    from scipy.integrate import quad

    below: float = quad(lambda t: (1 - t) ** q * math.exp(-t), 0, 1)[0]
    return below + math.factorial(q) / math.e


def _moments_fit(given: Given) -> bool:
    bounds = [math.factorial(q) / 2 * given.s2 * given.c ** (q - 2) for q in range(2, 30)]
    return all(_moment(q) <= bound * (1 + 1e-12) for q, bound in enumerate(bounds, 2))


class BernsteinSum(Claim[Given]):
    k: int = option(50, low=1, high=10000)  # variables
    gammas: tuple[float, ...] = (0.5, 0.1, 0.01, 1e-3, 1e-4)  # probabilities that are granted

    relation = at_most(ulps=64)  # the incomplete gamma function of scipy
    supposes = Suppose(
        "the moments satisfy the condition with s and c",
        _moments_fit,
        "For sub-Gaussian variables the second term is not needed; for these variables it is.",
        c=0.0,
    )
    symbols = "γ", "exact probability to exceed the bound"
    rows = "γ = {gammas}"
    shows = Along("Sums of centred exponentials", x="γ", at="gammas", log="xy")

    def given(self, rng: Generator) -> Given:
        return Given(self.k, 1.0, 1.0)  # exponential variables minus 1: s = c = 1

    def predict(self, given: Given) -> list[float]:
        return list(self.gammas)

    def measure(self, given: Given) -> list[float]:
        from scipy.special import gammaincc

        k, s2, c = given  # a sum of k exponentials is a Gamma(k) variable
        return [float(gammaincc(k, k + bernstein_bound(k, s2, c, g))) for g in self.gammas]
