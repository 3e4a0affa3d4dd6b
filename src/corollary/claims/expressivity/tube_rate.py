r"""The share of a ball inside a tube decays exponentially with the dimension.

For :math:`r > 1` the share :math:`p_n` of the ball :math:`r\,\mathbb B^n` that one unit tube fills
falls exponentially with the dimension, by :math:`\log r` in each:

.. math:: \frac1n \log p_n \to -\log r .

So m tubes fill a share of order :math:`m\sqrt n\,r^{-n}`. For :math:`r \le 1` the tube is all of
the ball, in every dimension.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.2, Step III; Eldan and Shamir
    (2016), "The power of depth for feedforward neural networks".
:kind: limit
:uses: tube_volume
:covers: tube-volume-ratio
:erratum: [missing hypothesis] The displayed share, at most m e^{-n} up to constants, depends on r:
    the rate is log r in each dimension, up to a factor of the order of the root of n, so e^{-n}
    needs r > e. For r = 2 and n = 50 one tube fills 9e-15 of the ball, not e^{-50} = 2e-22; for
    r <= 1 it fills all of it, whatever n. (The notes do let r grow.)
"""

from math import exp, log

from torch import Generator

from corollary.core import Claim, Over, Series, Suppose, Trial, converges, option
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.expressivity.tubes import tube_fraction

SIZES = (16, 32, 64, 128, 256)  # dimensions


class TubeRate(Claim[float]):
    r: float = option(2.0, low=1.1, high=8.0)  # radius of the ball

    relation = converges(gap=0.03)  # log(c root n) / n is left at n = 256
    supposes = Suppose(
        "the ball is wider than the tube, r > 1",
        lambda r: r - 1,
        "A ball inside the tube is filled by it in every dimension.",
        lambda: 0.5,
    )
    symbols = "−log r", "log(share of one tube) / n"
    shows = Over("Rate of decay per dimension", x="dimension n")

    def given(self, rng: Generator) -> float:
        return self.r

    def predict(self, given: float) -> float:
        return -log(self.r)

    def measure(self, given: float) -> Series:
        return Series(SIZES, [log(tube_fraction(n, given)) / n for n in SIZES])

    @picture("Share of the ball in one tube", x="dimension n", y="share", log="y")
    def share(self, trial: Trial[float]) -> Marks:
        n, r = range(2, 41), trial.given
        yield Curve([tube_fraction(k, r) for k in n], n, f"one tube, r = {r:g}")
        yield Curve([r**-k for k in n], n, "r⁻ⁿ", "predicted", dashed=True)
        yield Curve([exp(-k) for k in n], n, "e⁻ⁿ, as in the notes", "other", dashed=True)
