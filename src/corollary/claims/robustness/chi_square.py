r"""Concentration of chi-square.

For :math:`S=\sum_{j\le k}Z_j^2` with standard normal :math:`Z_j`, and :math:`L=\log(2/\gamma)`,
with probability at least :math:`1-\gamma`

.. math:: |S-k|\le2\sqrt{kL}+2L,\qquad |S-k|\le4\sqrt{kL}\ \text{ if }k\ge L,\qquad
   |S-k|\le\sqrt{8kL}\ \text{ if }k>8L.

Measured: the exact failure probabilities over a grid of k and :math:`\gamma`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.1, Lemma 77, Equation 12.8;
    Laurent and Massart (2000), "Adaptive estimation of a quadratic functional by model selection",
    Lemma 1.
:kind: bound
:cost: instant
:covers: chi-square-concentration
:erratum: [missing hypothesis] (12.8) is stated for all k and gamma; it holds for k >= log(2/gamma)
    and fails for small k: k = 1, gamma = 1e-6 has exact failure probability 5.6e-5, which is the
    counterexample here.
"""

from collections.abc import Iterator
from typing import NamedTuple

from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most
from corollary.theory.robustness.concentration import (
    Version,
    chi2_applies,
    chi2_bound,
    chi2_tail,
)


class Given(NamedTuple):
    """Pairs of degrees of freedom and failure probability."""

    cases: tuple[tuple[int, float], ...]


class ChiSquare(Claim[Given]):
    version: Version = "notes"  # which bound: laurent_massart, notes or sub_gaussian
    sizes: tuple[int, ...] = (3, 10, 100, 1000, 10000)  # degrees of freedom
    relation = at_most(ulps=64)  # the incomplete gamma function of scipy

    def given(self, rng: Generator) -> Given:
        """The cases of a grid that the bound is for; its least favourable ones are at the edge."""
        grid = ((k, g) for k in self.sizes for g in (0.5, 0.1, 0.01))
        return Given(tuple(case for case in grid if chi2_applies(*case, self.version)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Enough degrees of freedom."""
        fits = all(chi2_applies(*case, self.version) for case in given.cases)
        yield Hypothesis("there are enough degrees of freedom for this γ", fits)

    def predict(self, given: Given) -> list[float]:
        """The probabilities that are granted."""
        return [gamma for _, gamma in given.cases]

    def measure(self, given: Given) -> list[float]:
        """Exact ones."""
        return [chi2_tail(k, chi2_bound(k, g, self.version)) for k, g in given.cases]

    def counterexample(self, rng: Generator) -> Given | None:
        """One degree of freedom, one in a million."""
        return Given(((1, 1e-6),))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Failure probabilities at one degree of freedom, and deviations at many."""
        grid = [10 ** (-i / 2) for i in range(1, 17)]
        small = Figure(
            "k = 1: the notes' bound fails for small γ",
            x="γ",
            y="exact failure probability",
            log_x=True,
            log_y=True,
            marks=(
                Curve(grid, grid, label="γ itself", role="predicted"),
                Curve([chi2_tail(1, chi2_bound(1, g, "notes")) for g in grid], grid,
                      label="4√(kL)"),
                Curve([chi2_tail(1, chi2_bound(1, g)) for g in grid], grid,
                      label="2√(kL) + 2L", role="other"),
            ),
        )  # fmt: skip
        sizes, gamma = [2**i for i in range(1, 15)], 0.01
        wide = Figure(
            f"Deviations from k that have probability at most γ = {gamma}",
            x="k",
            y="|S − k|",
            log_x=True,
            log_y=True,
            marks=(
                Curve([_exact(k, gamma) for k in sizes], sizes, label="exact"),
                Curve([chi2_bound(k, gamma) for k in sizes], sizes,
                      label="2√(kL) + 2L", role="predicted"),
                Curve([chi2_bound(k, gamma, "notes") for k in sizes], sizes,
                      label="4√(kL)", role="predicted", dashed=True),
            ),
        )  # fmt: skip
        return small, wide


def _exact(k: int, gamma: float) -> float:
    """The deviation whose exact probability is gamma, by bisection."""
    low, high = 0.0, chi2_bound(k, gamma)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if chi2_tail(k, middle) > gamma else (low, middle)
    return high
