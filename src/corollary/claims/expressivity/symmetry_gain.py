r"""Depth helps when the target has symmetries.

Let g have q affine pieces on [0, 1] and let the zig-zag :math:`Z_p` fold the interval p times. The
target :math:`h = g \circ Z_p^k` consists of :math:`p^k` mirrored copies of g. To reach a small
fixed error one hidden layer needs

.. math:: 3(q\,p^k + 1) \text{ parameters}, \qquad k(3p + 1) + 3(q + 1)

are enough after k folds (a fold less where it costs more than it saves): exponential in the number
of folds against linear. Without symmetry folding gains nothing. The shallow side is no optimizer's
but the least there is, by dynamic programming over all ways to place the pieces.

:source: Mathematical Foundations of Deep Learning (slides), Montufar's Theorem; Montufar, Pascanu,
    Cho and Bengio (2014), "On the number of linear regions of deep neural networks".
:kind: experiment
:cost: seconds
:uses: space_folding
:covers: shallow-vs-deep-symmetry
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, Trial, equals, option, uniform
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.expressivity.symmetry import (
    fold_parameters,
    folded_mean,
    shallow_parameters,
    symmetry_gain,
    zigzag,
)

POINTS = 4  # on each piece of the target


class Given(NamedTuple):
    targets: tuple[Tensor, ...]  # at the middles of equal cells of [0, 1], for k = 1, 2, ...
    asymmetric: Tensor  # as many pieces as the last target, without symmetry


def middles(n: int) -> Tensor:
    """Of n equal cells of [0, 1]."""
    return (torch.arange(n, dtype=torch.float64) + 0.5) / n


def heights(pieces: int, rng: Generator) -> Tensor:
    """At equally spaced knots; they alternate by at least 1/4, and never mirror."""
    height = 0.25 + 0.75 * uniform(rng, pieces + 1)
    return height * (1 - 2 * (torch.arange(pieces + 1) % 2))


def between(knots: Tensor, x: Tensor) -> Tensor:
    """Interpolation between values at equally spaced knots of [0, 1]."""
    z = x * (len(knots) - 1)
    i = z.floor().clamp(max=len(knots) - 2).long()
    return knots[i] + (z - i) * (knots[i + 1] - knots[i])


def drawn(pieces: int, rng: Generator) -> Tensor:
    """A zig-zag without symmetry."""
    return between(heights(pieces, rng), middles(POINTS * pieces))


def asymmetric(self: "SymmetryGain", rng: Generator) -> Given:
    """If the target has no symmetry, folding does not reduce the number of parameters."""
    targets = tuple(drawn(self.q * self.p**k, rng) for k in self.ks)
    return Given(targets, targets[-1])


class SymmetryGain(Claim[Given]):
    p: int = option(2, low=2, high=3)  # flanks of a fold
    q: int = option(3, low=2, high=4)  # pieces of one copy
    folds: int = option(5, low=2, high=5)  # largest k
    error: float = option(1e-3, low=1e-6, high=0.1)  # root mean square error to reach

    relation = equals()  # counts
    supposes = Suppose(
        "the target is the same on every folded copy",
        lambda self, g: (
            self.error - max(folded_mean(y, self.p**k)[1] for k, y in enumerate(g.targets, 1))
        ),
        without=asymmetric,
    )
    symbols = "formula", "fewest parameters"
    rows = (
        *(f"{kind}, k = {k}" for kind in ("shallow", "folded") for k in range(1, 6)),
        "shallow over folded, no symmetry",
    )

    shows = Along(
        "Parameters for a fixed error",
        x="k",
        y="parameters",
        at="ks",
        log="y",
        parts=("one hidden layer", "after the best number of folds"),
        without=False,
    )

    @property
    def ks(self) -> range:
        """Numbers of folds."""
        return range(1, self.folds + 1)

    def given(self, rng: Generator) -> Given:
        knots, p = heights(self.q, rng), self.p
        sizes = [(k, middles(POINTS * self.q * p**k)) for k in self.ks]
        targets = tuple(between(knots, zigzag(x, p, k)) for k, x in sizes)
        return Given(targets, drawn(self.q * p**self.folds, rng))

    def predict(self, given: Given) -> list[float]:
        p, q, fold = self.p, self.q, fold_parameters(self.p)
        shallow = [shallow_parameters(q * p**k) for k in self.ks]
        deep = [
            min(j * fold + shallow_parameters(q * p ** (k - j)) for j in range(k + 1))
            for k in self.ks
        ]
        return [*shallow, *deep, 1]

    def measure(self, given: Given) -> list[float]:
        pairs = (*enumerate(given.targets, 1), (self.folds, given.asymmetric))
        *costs, none = (symmetry_gain(y, self.p, k, error=self.error) for k, y in pairs)
        return [*(c.shallow for c in costs), *(c.deep for c in costs), none.shallow / none.deep]

    @picture("A target with symmetries", x="x", y="h(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        y = trial.given.targets[-3:][0]
        yield Curve(y, middles(len(y)), "mirrored copies")
        yield Curve(trial.given.asymmetric[: len(y)], middles(len(y)), "no symmetry", "other")
