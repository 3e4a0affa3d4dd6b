r"""Depth helps when the target has symmetries.

Let g have q affine pieces on [0, 1] and let the zig-zag :math:`Z_p` fold the interval p times. The
target :math:`h = g \circ Z_p^k` consists of :math:`p^k` mirrored copies of g. To reach a small
fixed error one hidden layer needs

.. math:: 3(q\,p^k + 1) \text{ parameters}, \qquad k(3p + 1) + 3(q + 1)

are enough after k folds (a fold less where it costs more than it saves): exponential in the number
of folds against linear. Without symmetry folding gains nothing. The shallow side is no optimiser's
but the least there is, by dynamic programming over all ways to place the pieces.

:source: Mathematical Foundations of Deep Learning (slides), Montufar's Theorem; Montufar, Pascanu,
    Cho and Bengio (2014), "On the number of linear regions of deep neural networks".
:kind: experiment
:cost: seconds
:covers: shallow-vs-deep-symmetry
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.expressivity.symmetry import (
    Cost,
    fold_parameters,
    folded_mean,
    shallow_parameters,
    symmetry_gain,
    zigzag,
)

POINTS = 4  # on each piece of the target


class Given(NamedTuple):
    """Targets at the middles of equal cells of [0, 1], for k = 1, 2, ..."""

    targets: tuple[Tensor, ...]
    asymmetric: Tensor  # as many pieces as the last target, without symmetry


@dataclass(frozen=True)
class SymmetryGain(Claim[Given]):
    """Parameters that are needed, shallow and folded, for growing numbers of folds."""

    p: int = option(2, low=2, high=3)  # flanks of a fold
    q: int = option(3, low=2, high=4)  # pieces of one copy
    folds: int = option(5, low=2, high=5)  # largest k
    error: float = option(1e-3, low=1e-6, high=0.1)  # root mean square error to reach
    relation = equals()  # counts

    def given(self, rng: Generator) -> Given:
        """A drawn zig-zag of q pieces, repeated; and one of as many pieces drawn at once."""
        knots = _zigzag_values(self.q, rng)
        targets = tuple(_repeated(knots, self.p, k) for k in range(1, self.folds + 1))
        return Given(targets, _sampled(_zigzag_values(self.q * self.p**self.folds, rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The symmetry."""
        miss = max(folded_mean(y, self.p**k)[1] for k, y in enumerate(given.targets, 1))
        same = miss <= self.error
        yield Hypothesis("the target is the same on every folded copy", same, f"off by {miss:.2g}")

    def predict(self, given: Given) -> list[float]:
        """Shallow, and the cheapest number of folds, for each k; and no gain without symmetry."""
        ks, p, q = range(1, self.folds + 1), self.p, self.q
        shallow = [shallow_parameters(q * p**k) for k in ks]
        fold = fold_parameters(p)
        deep = [
            min(j * fold + shallow_parameters(q * p ** (k - j)) for j in range(k + 1)) for k in ks
        ]
        return [float(v) for v in (*shallow, *deep)] + [1.0]

    def measure(self, given: Given) -> list[float]:
        """The fewest that reach the error."""
        costs = [self._cost(y, k) for k, y in enumerate(given.targets, 1)]
        none = self._cost(given.asymmetric, self.folds)
        shallow, deep = [float(c.shallow) for c in costs], [float(c.deep) for c in costs]
        return shallow + deep + [none.shallow / none.deep]

    def counterexample(self, rng: Generator) -> Given:
        """Targets with as many pieces, drawn without symmetry."""
        sizes = [self.q * self.p**k for k in range(1, self.folds + 1)]
        targets = tuple(_sampled(_zigzag_values(n, rng)) for n in sizes)
        return Given(targets, targets[-1])

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Parameters against folds, and the target."""
        ks = list(range(1, self.folds + 1))
        predicted, measured = self.predict(given), self.measure(given)
        n = self.folds
        growth = (
            Curve(predicted[:n], ks, "3(q pᵏ + 1)", "predicted"),
            Points(ks, measured[:n], "one hidden layer, fewest pieces"),
            Curve(predicted[n:-1], ks, "the best of 0 to k folds", "predicted", dashed=True),
            Points(ks, measured[n:-1], "after the best number of folds", "other"),
        )
        shown = min(3, n)
        y, x = given.targets[shown - 1], _middles(len(given.targets[shown - 1]))
        loose = given.asymmetric[: len(y)]
        drawn = (
            Curve(y, x, f"{self.p**shown} mirrored copies"),
            Curve(loose, x, "no symmetry (a part)", "other", dashed=True),
        )
        return (
            Figure("Parameters for a fixed error", "k", "parameters", growth, log_y=True),
            Figure("A target with symmetries", "x", "h(x)", drawn),
        )

    def _cost(self, y: Tensor, k: int) -> Cost:
        return symmetry_gain(y, self.p, k, error=self.error)


def _zigzag_values(pieces: int, rng: Generator) -> Tensor:
    """Heights at equally spaced knots that alternate by at least 1/4, and never mirror."""
    height = 0.25 + 0.75 * torch.rand(pieces + 1, generator=rng, dtype=torch.float64)
    return height * (1 - 2 * (torch.arange(pieces + 1) % 2))


def _sampled(knots: Tensor) -> Tensor:
    return _at(_middles(POINTS * (len(knots) - 1)), knots)


def _repeated(knots: Tensor, p: int, k: int) -> Tensor:
    return _at(zigzag(_middles(POINTS * (len(knots) - 1) * p**k), p, k), knots)


def _middles(n: int) -> Tensor:
    return (torch.arange(n, dtype=torch.float64) + 0.5) / n


def _at(x: Tensor, knots: Tensor) -> Tensor:
    """Interpolation between values at equally spaced knots of [0, 1]."""
    z = x * (len(knots) - 1)
    i = z.floor().clamp(max=len(knots) - 2).long()
    return knots[i] + (z - i) * (knots[i + 1] - knots[i])
