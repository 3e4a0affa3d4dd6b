r"""A fixed basis pays for the dimension, drawn units do not.

The m waves of lowest frequency are the best fixed basis for
:math:`\{\frac C{\|k\|}\cos(2\pi k\cdot x)\}`, all of which have :math:`C_f=C`. Their worst squared
error is

.. math:: \frac{C^2}{2\|k_{(m)}\|^2}\propto m^{-2/d}

with :math:`k_{(m)}` the lowest frequency left out, while networks with m drawn units reach
:math:`m^{-1}` for each of these functions. The two tie at d = 2; beyond it units that adapt to the
target win.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.1, Remark 3; Barron (1993),
    Universal approximation bounds for superpositions of a sigmoidal function, Theorem 6.
:kind: rate
:cost: instant
:covers: barron-vs-fixed-basis
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
from corollary.theory.approximation.fixed_bases import lowest_frequencies
from corollary.theory.approximation.spectra import Cosines

SIZES = (64, 128, 256, 512, 1024, 2048)


class Given(NamedTuple):
    """Frequencies in order, whether the units are fixed, points, and a seed."""

    k: Float[Tensor, "n d"]
    fixed: bool
    x: Float[Tensor, "p d"]
    seed: int


@dataclass(frozen=True)
class FixedBasisRate(Claim[Given]):
    """The exponent of the worst squared error in the number of waves."""

    d: int = option(4, low=1, high=6)  # dimension
    relation = slope(gap=0.12)  # frequencies of a lattice come in shells

    def given(self, rng: Generator) -> Given:
        """The lattice, and points of the cube around the origin."""
        k = lowest_frequencies(self.d, SIZES[-1] // 2 + 1)
        x = torch.rand(60, self.d, generator=rng, dtype=torch.float64) - 0.5
        return Given(k, True, x, int(torch.randint(2**31, (1,), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """One basis for all."""
        yield Hypothesis("the basis is fixed before the target is known", given.fixed)

    def predict(self, given: Given) -> float:
        """The exponent."""
        return -2 / self.d

    def measure(self, given: Given) -> Series:
        """Worst errors of the fixed basis, or mean errors of drawn units."""
        if given.fixed:
            return Series(SIZES, _fixed(given))
        return Series(SIZES, [float(e.mean()) for e in _drawn(given)])

    def counterexample(self, rng: Generator) -> Given:
        """Units drawn for the target."""
        return self.given(rng)._replace(fixed=False)

    def figure(self, given: Given) -> Figure:
        """Both, over m."""
        fixed, drawn = _fixed(given), _drawn(given)
        middle = len(SIZES) // 2
        guide = [fixed[middle] * (m / SIZES[middle]) ** (-2 / self.d) for m in SIZES]
        return Figure(
            f"Fixed waves against drawn units, d = {self.d}",
            x="m",
            y="squared error, C = 1",
            log_x=True,
            log_y=True,
            marks=(
                Curve(guide, SIZES, label=f"slope −2/{self.d}", role="predicted"),
                Points(SIZES, fixed, label="lowest waves, worst target"),
                Points(SIZES, [float(e.mean()) for e in drawn], role="other",
                       label="drawn units, range", low=[float(e.min()) for e in drawn],
                       high=[float(e.max()) for e in drawn]),
            ),
        )  # fmt: skip


def _fixed(given: Given) -> list[float]:
    """Each frequency is a cosine and a sine: the first m functions are m / 2 frequencies."""
    norms = given.k.norm(dim=1)
    return [float(1 / (2 * norms[m // 2] ** 2)) for m in SIZES]


@lru_cache(maxsize=4)
def _drawn(given: Given) -> list[Float[Tensor, " trials"]]:
    """Errors of networks for one target: the wave of lowest frequency, with a phase."""
    rng = generator(given.seed)
    w = given.k[:1]
    f = Cosines(w, 1 / w.norm(dim=1), w.new_tensor([0.2]))
    target = f(given.x) - f(torch.zeros_like(given.x[:1]))
    radius, trials, out = given.k.shape[1] ** 0.5 / 2, 24, []
    for n in SIZES:
        units = sample_units(f, trials * n, radius, rng=rng)
        hidden = step(given.x @ units.w.T + units.b) * units.c
        values = hidden.reshape(len(target), trials, n).mean(2)
        out.append((values - target[:, None]).square().mean(0))
    return out
