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
:covers: hopfield-hebbian-storage
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, near, option
from corollary.core.picture import Level, Marks, Points, Role, picture
from corollary.data.patterns import orthogonal_patterns, random_patterns
from corollary.models.hopfield import Hopfield


class Given(NamedTuple):
    patterns: Float[Tensor, "s n"]  # what is stored

    def overlaps(self) -> Float[Tensor, "s s"]:
        """Of any two patterns: 1 with itself, 0 if they are orthogonal."""
        return self.patterns @ self.patterns.mT / self.patterns.shape[1]


def full(given: Given, rng: Generator) -> Given:
    """With as many patterns as neurons the couplings vanish and no bit is held."""
    n = given.patterns.shape[1]
    return Given(orthogonal_patterns(n, n, rng=rng))


class HebbianStorage(Claim[Given]):
    log_n: int = option(7, low=2, high=10)  # the network has n = 2^log_n neurons
    share: float = option(0.25, low=0.01, high=0.99)  # patterns stored, as a share of n

    relation = equals(ulps=8)  # whole numbers divided by n
    supposes = (
        Suppose(
            "the patterns are mutually orthogonal",
            lambda g: near(g.overlaps(), torch.eye(len(g.patterns))),
            "The same number of random patterns are only nearly orthogonal, and disturb each "
            "other.",
            lambda g, rng: Given(random_patterns(*g.patterns.shape, rng=rng)),
        ),
        Suppose(
            "there are fewer patterns than neurons",
            lambda g: g.patterns.shape[1] - g.patterns.shape[0],
            without=full,
        ),
    )
    symbols = "1 − s/n; all; −(n−s)/2", "computed in the network"
    rows = "least xᵢ hᵢ", "largest xᵢ hᵢ", "share of stable bits", "energy of x", "energy of −x"

    def given(self, rng: Generator) -> Given:
        n = 2**self.log_n
        s = min(max(round(self.share * n), 1), n - 1)
        return Given(orthogonal_patterns(s, n, rng=rng))

    def predict(self, given: Given) -> list[float]:
        s, n = given.patterns.shape
        return [1 - s / n, 1 - s / n, 1.0, -(n - s) / 2, -(n - s) / 2]

    def measure(self, given: Given) -> Kept:
        x, net = given.patterns, Hopfield.store(given.patterns)
        held = x * net.field(x)
        energies = net.energy(torch.stack([x[0], -x[0]])).tolist()
        stable = float((held > 0).double().mean())
        return Kept([float(held.min()), float(held.max()), stable, *energies], held=held)

    @picture("Stability of stored bits", x="pattern t", y="xᵢ hᵢ")
    def marks(self, trial: Trial[Given]) -> Marks:
        runs: list[tuple[Trial[Given], str, Role]] = [(trial, "orthogonal", "measured")]
        runs += [(t, "random", "other") for t in trial.without[:1]]
        for run, name, role in runs:
            held, label = run.kept.held, f"{name} patterns, all bits"
            low, mid, high = held.amin(1), held.mean(1), held.amax(1)
            t = range(1, len(held) + 1)
            yield Points(t, mid, low=low, high=high, label=label, role=role)
        yield Level(trial.predicted[0], label="1 − s/n")
        yield Level(0.0, label="unstable below", role="other")
