r"""The rate of a fixed basis depends on the dimension, that of random units does not.

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
:uses: fixed_basis, barron_theorem
:covers: barron-vs-fixed-basis
:scale-free: The exponent does not depend on the length of the frequencies.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, generator, option, slope, uniform
from corollary.models.approximators.barron import sample_units
from corollary.models.approximators.steps import step
from corollary.theory.approximation.fixed_bases import lowest_frequencies
from corollary.theory.approximation.spectra import Cosines

SIZES = (64, 128, 256, 512, 1024, 2048)


class Given(NamedTuple):
    k: Float[Tensor, "n d"]  # frequencies in order
    x: Float[Tensor, "p d"]  # points
    error: Callable[..., float]  # squared error of m functions for target j


def lowest_waves(given: Any, j: int, m: int, rng: Generator) -> float:
    """Each frequency is a cosine and a sine: the first m functions are m / 2 frequencies."""
    return 0.0 if j < m // 2 else float(1 / (2 * given.k[j].square().sum()))


def drawn_units(given: Any, j: int, m: int, rng: Generator) -> float:
    """The mean error of networks that are drawn for target j, with a phase."""
    w, trials = given.k[j : j + 1], 24
    f = Cosines(w, 1 / w.norm(dim=1), w.new_tensor([0.2]))
    target = f(given.x) - f(torch.zeros_like(given.x[:1]))
    units = sample_units(f, trials * m, given.k.shape[1] ** 0.5 / 2, rng=rng)
    hidden = step(given.x @ units.w.T + units.b) * units.c
    values = hidden.reshape(len(target), trials, m).mean(2)
    return float((values - target[:, None]).square().mean())


def blind(given: Given) -> bool:
    """Whether a target that is left out keeps its whole norm."""
    found = given.error(given, 100, 64, generator(0))
    return math.isclose(found, lowest_waves(given, 100, 64, generator(0)))


class FixedBasisRate(Claim[Given]):
    d: int = option(4, low=1, high=6)  # dimension

    relation = slope(gap=0.12)  # frequencies of a lattice come in shells
    supposes = (
        Suppose(
            "the basis is fixed before the target is known",
            blind,
            "Units chosen after the target is known do better in high dimensions.",
            error=lambda g: drawn_units,
        ),
        Suppose(
            "the frequencies are spread over d dimensions",
            lambda g: int(torch.linalg.matrix_rank(g.k)) == g.k.shape[1],
            "Frequencies along one axis are as easy as in one dimension.",
            k=lambda g: torch.arange(1.0, len(g.k) + 1)[:, None] * torch.eye(g.k.shape[1])[0],
        ),
    )
    symbols = "slope −2/d", "squared error of the worst target"
    shows = Over("Errors of a fixed basis and of random units", x="functions m")

    def given(self, rng: Generator) -> Given:
        k = lowest_frequencies(self.d, SIZES[-1] // 2 + 1)
        x = uniform(rng, 60, self.d) - 0.5
        return Given(k, x, lowest_waves)

    def predict(self, given: Given) -> float:
        return -2 / self.d

    def measure(self, given: Given, rng: Generator) -> Series:
        # of the frequencies that are left out the lowest is the worst
        return Series(SIZES, [given.error(given, m // 2, m, rng) for m in SIZES])
