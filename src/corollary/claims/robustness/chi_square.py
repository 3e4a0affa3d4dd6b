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
:covers: chi-square-concentration
:erratum: [missing hypothesis] (12.8) is stated for all k and gamma; it holds for k >= log(2/gamma)
    and fails for small k: k = 1, gamma = 1e-6 has exact failure probability 5.6e-5, which is the
    counterexample here.
:loose: one constant covers every k and gamma, and Chernoff's method loses the factor before the
    exponential; with the constant 4 of the notes, failures are fifty times rarer than allowed.
"""

from typing import NamedTuple

from torch import Generator

from corollary.core import Claim, Parity, Suppose, at_most
from corollary.theory.robustness.concentration import (
    Version,
    chi2_applies,
    chi2_bound,
    chi2_tail,
)


class Given(NamedTuple):
    cases: tuple[tuple[int, float], ...]  # degrees of freedom and failure probability


class ChiSquare(Claim[Given]):
    version: Version = "notes"  # bound: laurent_massart, notes or sub_gaussian
    sizes: tuple[int, ...] = (3, 10, 100, 1000, 10000)  # degrees of freedom

    relation = at_most(ulps=64)  # the incomplete gamma function of scipy
    supposes = Suppose(
        "there are enough degrees of freedom for this γ",
        lambda self, g: all(chi2_applies(k, p, self.version) for k, p in g.cases),
        "With one degree of freedom and γ = 10⁻⁶, the bound fails 56 times as often as allowed.",
        cases=((1, 1e-6),),
    )
    symbols = "γ", "exact failure probability"
    shows = Parity("Deviations of chi-square beyond the bound", log="xy")

    def given(self, rng: Generator) -> Given:
        grid = ((k, g) for k in self.sizes for g in (0.5, 0.1, 0.01))
        return Given(tuple((k, g) for k, g in grid if chi2_applies(k, g, self.version)))

    def predict(self, given: Given) -> list[float]:
        return [gamma for _, gamma in given.cases]

    def measure(self, given: Given) -> list[float]:
        return [chi2_tail(k, chi2_bound(k, g, self.version)) for k, g in given.cases]
