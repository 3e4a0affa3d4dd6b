r"""Hebbian storage of orthogonal patterns.

Store :math:`s < n` mutually orthogonal patterns of signs by
:math:`W = \frac1n \sum_t x_t x_t^\top` with the diagonal removed. Then every stored bit feels

.. math:: x_{t,i}\, h_i = 1 - \frac sn > 0,

so every pattern is a fixed point, and so is its mirror image :math:`-x_t`, at the same energy
:math:`-\frac{n-s}{2}`. Patterns that are not orthogonal disturb each other.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Hebb (1949), "The Organization of
    Behavior"; Hertz, Krogh and Palmer (1991), "Introduction to the Theory of Neural
    Computation", Section 2.2.
:kind: construction
:cost: instant
:covers: hopfield-hebbian-storage
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, Hypothesis, Level, Points, equals, option
from corollary.data.patterns import orthogonal_patterns, random_patterns
from corollary.models.hopfield import Hopfield


class Given(NamedTuple):
    """What is stored."""

    patterns: Float[Tensor, "s n"]
    beside: Float[Tensor, "s n"]  # random patterns, shown beside them in the figure


@dataclass(frozen=True)
class HebbianStorage(Claim[Given]):
    """Extreme stabilities of all stored bits, and the energies of a pattern and its mirror."""

    log_n: int = option(7, low=2, high=10)  # the network has n = 2^log_n neurons
    share: float = option(0.25, low=0.01, high=0.99)  # patterns stored, as a share of n
    relation = equals(ulps=8)  # whole numbers divided by n

    def given(self, rng: Generator) -> Given:
        """Rows of a Hadamard matrix with random signs."""
        n = 2**self.log_n
        s = min(max(round(self.share * n), 1), n - 1)
        return Given(orthogonal_patterns(s, n, rng=rng), random_patterns(s, n, rng=rng))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Orthogonality, and room."""
        s, n = given.patterns.shape
        G = given.patterns @ given.patterns.mT
        yield Hypothesis(
            "the patterns are mutually orthogonal", bool((G == n * torch.eye(s)).all())
        )
        yield Hypothesis("there are fewer patterns than neurons", s < n)

    def predict(self, given: Given) -> list[float]:
        """Stabilities 1 - s/n, lowest and highest; energies -(n-s)/2 of x and -x."""
        s, n = given.patterns.shape
        return [1 - s / n, 1 - s / n, -(n - s) / 2, -(n - s) / 2]

    def measure(self, given: Given) -> list[float]:
        """From the network itself."""
        x, net = given.patterns, Hopfield.store(given.patterns)
        stability = x * net.field(x)
        energies = net.energy(torch.stack([x[0], -x[0]]))
        return [float(stability.min()), float(stability.max()), *energies.tolist()]

    def counterexample(self, rng: Generator) -> Given:
        """As many random patterns: nearly orthogonal is not orthogonal."""
        _, beside = self.given(rng)
        return Given(beside, beside)

    def figure(self, given: Given) -> Figure:
        """Stability of the bits of stored patterns, beside random patterns of the same number."""
        s, n = given.patterns.shape
        spread = given.beside * Hopfield.store(given.beside).field(given.beside)
        low, mid, high = spread.amin(1), spread.mean(1), spread.amax(1)
        exact = (given.patterns * Hopfield.store(given.patterns).field(given.patterns)).mean(1)
        t = range(1, s + 1)
        return Figure(
            "Stability of stored bits",
            x="pattern t",
            y="xᵢ hᵢ",
            marks=(
                Points(t, mid, low=low, high=high, label="random patterns, all bits", role="other"),
                Points(t, exact, label="orthogonal patterns, all bits"),
                Level(1 - s / n, label="1 − s/n"),
                Level(0.0, label="unstable below", role="other"),
            ),
        )
