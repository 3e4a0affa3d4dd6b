r"""Rate at which tubes lose the ball.

For :math:`r > 1` the share :math:`p_n` of the ball :math:`r\,\mathbb B^n` that one unit tube fills
falls exponentially with the dimension, by :math:`\log r` in each:

.. math:: \frac1n \log p_n \to -\log r .

So m tubes fill a share of order :math:`m\sqrt n\,r^{-n}`. For :math:`r \le 1` the tube is all of
the ball, in every dimension.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.2, Step III; Eldan and Shamir
    (2016), "The power of depth for feedforward neural networks".
:kind: limit
:cost: instant
:covers: tube-volume-ratio
:erratum: [missing hypothesis] The displayed share, at most m e^{-n} up to constants, depends on r:
    the rate is log r in each dimension, up to a factor of the order of the root of n, so e^{-n}
    needs r > e. For r = 2 and n = 50 one tube fills 9e-15 of the ball, not e^{-50} = 2e-22; for
    r <= 1 it fills all of it, whatever n. (The notes do let r grow.)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import log

from torch import Generator

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Points,
    Series,
    converges,
    option,
)
from corollary.theory.expressivity.tubes import tube_fraction

SIZES = (16, 32, 64, 128, 256)  # dimensions


@dataclass(frozen=True)
class TubeRate(Claim[float]):
    """Logarithm of the exact share over the dimension."""

    r: float = option(2.0, low=1.1, high=8.0)  # radius of the ball
    relation = converges(gap=0.03)  # log(c root n) / n is left at n = 256

    def given(self, rng: Generator) -> float:
        """The radius; nothing is drawn."""
        return self.r

    def hypotheses(self, given: float) -> Iterator[Hypothesis]:
        """The radius."""
        yield Hypothesis("the ball is wider than the tube, r > 1", given > 1, f"r = {given:g}")

    def predict(self, given: float) -> float:
        """Minus the logarithm of the radius."""
        return -log(given)

    def measure(self, given: float) -> Series:
        """By the incomplete Beta function."""
        return Series(SIZES, [log(tube_fraction(n, given)) / n for n in SIZES])

    def counterexample(self, rng: Generator) -> float:
        """A ball inside the tube."""
        return 0.5

    def figure(self, given: float) -> tuple[Figure, Figure]:
        """The rate; and the share beside the one of the notes."""
        found = [log(tube_fraction(n, given)) / n for n in SIZES]
        rate = (
            Level(-log(given), "-log r"),
            Points(SIZES, found, "log(share) / n"),
            Level(-1.0, "m e⁻ⁿ (the notes)", "other"),
        )
        n = list(range(2, 41))
        share = (
            Curve([tube_fraction(k, given) for k in n], n, f"one tube, r = {given:g}"),
            Curve([given**-k for k in n], n, "r⁻ⁿ", "predicted", dashed=True),
            Curve([2.718281828459045**-k for k in n], n, "e⁻ⁿ", "other", dashed=True),
        )
        return (
            Figure("Rate of loss in each dimension", "n", "log(share)/n", rate, log_x=True),
            Figure("Share of the ball in one tube", "n", "share", share, log_y=True),
        )
