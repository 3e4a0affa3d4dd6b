r"""Approximation plus estimation error: the best width grows like √M for M samples.

The mean squared error of a least-squares network with n units on M noisy samples is of order

.. math:: \underbrace{\frac{C^2}n}_{\text{approximation}}+
   \underbrace{\frac{nd}M\log M}_{\text{estimation}},\qquad
   n^*\propto C\Bigl(\frac M{d\log M}\Bigr)^{1/2},

so the error has the shape of a U in the width and its minimum moves like :math:`M^{1/2}` (up to the
logarithm). Measured with units :math:`\cos(\pi kx)`, k up to n, on a function whose best
approximation by them is off by :math:`1/2n` in the square.

:source: Mathematical Foundations of Deep Learning (slides), Barron's Theorem; Barron (1994),
    "Approximation and estimation bounds for artificial neural networks".
:kind: rate
:cost: seconds
:uses: barron_theorem, mise_split
:covers: barron-risk-bound
:erratum: [notation] The slide calls the sum O(1/n) + O((nd/M) ln M) the estimation error. The first
    term is the approximation error, the second the estimation error; the sum bounds the mean
    squared error of the fitted network.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Over, Series, Suppose, Trial, normal, option, slope, uniform
from corollary.core.picture import Curve, Marks, Points, Role, picture

SAMPLES = (64, 128, 256, 512, 1024, 2048)
WIDTHS = tuple(sorted({round(2 ** (k / 3)) for k in range(3, 22)}))


class Given(NamedTuple):
    a: Float[Tensor, " k"]  # coefficients of the target in cosines
    sigma: float  # standard deviation of the noise

    def tail(self, n: int) -> float:
        """The squared error of the first n cosines."""
        return float(self.a[n:].square().sum()) / 2


def falls_like_one_over_n(given: Given) -> tuple[bool, str]:
    """The approximation error times n, at 8 and at 64 units."""
    ratio = 64 * given.tail(64) / (8 * given.tail(8))
    return 0.5 < ratio < 2, f"n times it changes by {ratio:.3g} from 8 to 64 units"


def errors(given: Given, M: int, trials: int, rng: Generator) -> Float[Tensor, "widths trials"]:
    """Exact test errors of least squares on M noisy samples, for each width up to M/3."""
    x = uniform(rng, trials, M)
    k = torch.arange(1, len(given.a) + 1, dtype=torch.float64)
    y = torch.stack([torch.cos(math.pi * row[:, None] * k) @ given.a for row in x])
    y = y + given.sigma * normal(rng, trials, M)
    widths = [n for n in WIDTHS if n <= M // 3]
    H = torch.cos(math.pi * x[:, :, None] * k[: widths[-1]])
    gram, right = H.mT @ H, H.mT @ y[..., None]
    fits = [torch.linalg.solve(gram[:, :n, :n], right[:, :n])[..., 0] for n in widths]
    pairs = zip(fits, widths, strict=True)
    return torch.stack([(c - given.a[:n]).square().sum(1) / 2 + given.tail(n) for c, n in pairs])


def lowest(found: Sequence[float]) -> float:
    """The width at the bottom of a parabola through five points about the least, in logarithms."""
    i = min(range(len(found)), key=found.__getitem__)
    part = range(max(i - 2, 0), min(i + 3, len(found)))
    t = torch.tensor([WIDTHS[j] for j in part], dtype=torch.float64).log()
    e = torch.tensor([found[j] for j in part], dtype=torch.float64).log()
    A = torch.stack([(t - t.mean()) ** 2, t - t.mean(), torch.ones_like(t)], dim=1)
    bend, lean, _ = torch.linalg.solve(A.T @ A, A.T @ e).tolist()
    middle = float(t.mean()) - lean / (2 * bend) if bend > 0 else math.log(WIDTHS[i])
    return math.exp(min(max(middle, float(t[0])), float(t[-1])))


class BarronWidth(Claim[Given]):
    sigma: float = option(0.7, low=0.2, high=2.0)  # standard deviation of the noise
    trials: int = option(40, low=10, high=200)  # data sets of each size

    relation = slope(gap=0.15)  # widths are found on a grid of a third of an octave
    supposes = Suppose(
        "the approximation error falls like 1/n",
        falls_like_one_over_n,
        "With coefficients 1/k³ a few units are enough, and the best width hardly grows.",
        a=lambda g: g.a**3,
    )
    symbols = "√M", "best width"
    predicts = 0.5
    shows = Over("With more samples, a wider network is best", x="M", y="n")

    def given(self, rng: Generator) -> Given:
        return Given(1 / torch.arange(1, 301, dtype=torch.float64), self.sigma)

    def measure(self, given: Given, rng: Generator) -> Kept:
        found = {M: errors(given, M, self.trials, rng) for M in SAMPLES}
        best = [lowest(e.mean(dim=1).tolist()) for e in found.values()]
        return Kept(Series(SAMPLES, best), errors=found)

    @picture(
        "Test error against the width: approximation and estimation error",
        x="n",
        y="mean squared test error",
        log="xy",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        given = trial.given
        for M in SAMPLES[::2]:
            e = trial.kept.errors[M]
            low, high = e.quantile(0.1, dim=1), e.quantile(0.9, dim=1)
            role: Role = "measured" if M == 256 else "other"
            label = f"M = {M}, middle 80 %"
            yield Points(WIDTHS[: len(e)], e.mean(dim=1), label, role, low, high)
        tails, noise = [given.tail(n) for n in WIDTHS], [given.sigma**2 * n / 256 for n in WIDTHS]
        yield Curve(tails, WIDTHS, label="approximation", role="predicted")
        yield Curve(noise, WIDTHS, "σ²n/M at M = 256", role="predicted", dashed=True)
