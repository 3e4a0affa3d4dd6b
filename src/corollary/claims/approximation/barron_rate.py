r"""Barron's rate has no dimension in it.

The mean squared error of networks with n units drawn from the Fourier integral falls like

.. math:: \mathbb{E}\int_{B_r}(f-f_n)^2d\mu\propto n^{-1}

in every dimension d: here up to 50, where a grid of ten points along each axis would have
:math:`10^{50}` cells. The constant may still depend on d. The draws have to be independent: n units
of which only eight are different do no better than eight.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 27 and Remark 3; Barron (1993),
    Universal approximation bounds for superpositions of a sigmoidal function, Theorem 1.
:kind: rate
:cost: instant
:covers: barron-theorem
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Points,
    Series,
    generator,
    option,
    slope,
)
from corollary.models.approximators.barron import sample_units
from corollary.models.approximators.steps import step
from corollary.theory.approximation.spectra import GaussianBump

SIZES = (16, 32, 64, 128, 256)


class Given(NamedTuple):
    """A bump off the origin, points, whether each unit is a new draw, and a seed."""

    f: GaussianBump
    x: Float[Tensor, "p d"]
    fresh: bool
    seed: int


@dataclass(frozen=True)
class BarronRate(Claim[Given]):
    """The exponent of the mean squared error in the number of units."""

    d: int = option(50, low=1, high=200)  # dimension
    trials: int = option(100, low=20, high=1000)  # networks of each size
    relation = slope(gap=0.2)  # a hundred networks of each size give the mean to a tenth

    def given(self, rng: Generator) -> Given:
        """A bump at distance 1/2, and points of the unit ball with equal weights."""
        u = torch.randn(81, self.d, generator=rng, dtype=torch.float64)
        u = u / u.norm(dim=1, keepdim=True)
        length = torch.rand(80, 1, generator=rng, dtype=torch.float64)
        seed = int(torch.randint(2**31, (1,), generator=rng))
        return Given(GaussianBump(u[80] / 2, 1.0), length * u[:80], True, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The ball that the units are drawn for, and the draws."""
        far = float(given.x.norm(dim=1).max())
        yield Hypothesis("the points lie in the unit ball", far <= 1, f"farthest {far:.3g}")
        yield Hypothesis("the units are drawn independently", given.fresh)

    def predict(self, given: Given) -> float:
        """The exponent."""
        return -1.0

    def measure(self, given: Given) -> Series:
        """Mean errors over n."""
        return Series(SIZES, [float(e.mean()) for e in _errors(given, self.trials)])

    def counterexample(self, rng: Generator) -> Given:
        """Eight different units, repeated."""
        return self.given(rng)._replace(fresh=False)

    def figure(self, given: Given) -> Figure:
        """Errors over n in this dimension and in others."""
        marks = []
        for d in sorted({1, 5, self.d}):
            own = d == self.d
            drawn = given if own else BarronRate(d=d).given(generator(given.seed, "other", d))
            errors = _errors(drawn, self.trials if own else 20)
            marks.append(
                Points(SIZES, [float(e.mean()) for e in errors], label=f"d = {d}, middle 80 %",
                       role="measured" if own else "other",
                       low=[float(e.quantile(0.1)) for e in errors],
                       high=[float(e.quantile(0.9)) for e in errors])
            )  # fmt: skip
        first = float(_errors(given, self.trials)[0].mean())
        guide = [first * SIZES[0] / n for n in SIZES]
        return Figure(
            "One over the number of units, in every dimension",
            x="n",
            y="mean of ∫ (f − fₙ)² dμ",
            log_x=True,
            log_y=True,
            marks=(Curve(guide, SIZES, label="slope −1", role="predicted"), *marks),
        )


@lru_cache(maxsize=8)
def _errors(given: Given, trials: int) -> list[Float[Tensor, " trials"]]:
    rng = generator(given.seed)
    target = given.f(given.x) - given.f(torch.zeros_like(given.x[:1]))
    out = []
    for n in SIZES:
        different = n if given.fresh else 8
        units = sample_units(given.f, trials * different, 1.0, rng=rng)
        hidden = step(given.x @ units.w.T + units.b) * units.c
        values = hidden.reshape(len(target), trials, different).mean(2)
        out.append((values - target[:, None]).square().mean(0))
    return out
