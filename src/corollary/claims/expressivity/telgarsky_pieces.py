r"""Few pieces cannot follow many teeth.

Every function g with t affine pieces has the distance

.. math:: \int_0^1 |m^{(k)}(x) - g(x)|\,dx \ge (2^{k-1} - 1 - t)\,2^{-k-2}

from the sawtooth with :math:`2^k` pieces, whichever network it comes from: the step of Telgarsky's
proof in which depth plays no part. Among all functions with t pieces, even with jumps, the least
square error is found by dynamic programming; that optimum, too, obeys the bound.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 30; Telgarsky (2016),
    "Benefits of depth in neural networks".
:kind: bound
:cost: instant
:covers: telgarsky-depth-separation
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_least, option
from corollary.models.sawtooth import tooth_follower
from corollary.theory.expressivity.piecewise import PiecewiseLinear, random_piecewise
from corollary.theory.expressivity.regions.line import affine_pieces
from corollary.theory.expressivity.sawtooth import (
    integral_distance,
    sawtooth_curve,
    sawtooth_values,
    telgarsky_lower,
)
from corollary.theory.expressivity.segmented import best_segments

PER_PIECE = 4  # sample points on each flank of the sawtooth


class Given(NamedTuple):
    """Functions on [0, 1] and the pieces that each is said to have."""

    functions: tuple[PiecewiseLinear, ...]
    pieces: tuple[int, ...]
    k: int


@dataclass(frozen=True)
class TelgarskyPieces(Claim[Given]):
    """Distances of followers of teeth and of random zig-zags, at growing numbers of pieces."""

    k: int = option(6, low=3, high=8)  # tents; 2^k pieces
    relation = at_least(ulps=64)  # sums of up to 2^k areas

    def given(self, rng: Generator) -> Given:
        """At each number of pieces a follower and a zig-zag."""
        counts = _counts(self.k)
        curves = [_follower(self.k, t) for t in counts]
        curves += [_on_unit(random_piecewise(t, rng=rng)) for t in counts]
        return Given(tuple(curves), (*counts, *counts), self.k)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The counts are true."""
        true = all(f.pieces <= t for f, t in zip(given.functions, given.pieces, strict=True))
        yield Hypothesis("no function has more pieces on [0, 1] than is said", true)

    def predict(self, given: Given) -> list[float]:
        """The area of the triangles on the other side."""
        return [telgarsky_lower(t, given.k) for t in given.pieces]

    def measure(self, given: Given) -> list[float]:
        """The integrals, exact between breakpoints."""
        return [integral_distance(sawtooth_curve(given.k), f) for f in given.functions]

    def counterexample(self, rng: Generator) -> Given:
        """The sawtooth itself, said to have two pieces."""
        return Given((sawtooth_curve(self.k),), (2,), self.k)

    def figure(self, given: Given) -> Figure:
        """Error against pieces: the bound, the functions, and the best least-squares fits."""
        half, k = len(given.pieces) // 2, given.k
        found = self.measure(given)
        x = (torch.arange(PER_PIECE * 2**k, dtype=torch.float64) + 0.5) / (PER_PIECE * 2**k)
        y, counts = sawtooth_values(x, k), given.pieces[:half]
        best = [float((best_segments(x, y, t).fitted - y).abs().mean()) for t in counts]
        marks = (
            Curve(self.predict(given)[:half], counts, "triangles on the other side", "predicted"),
            Points(counts, found[:half], "followers of single teeth"),
            Points(counts, found[half:], "random zig-zags", "other"),
            Curve(best, counts, "best in mean square, jumps allowed", "other", dashed=True),
        )
        return Figure(f"{2**k} flanks, t pieces", x="t", y="∫|m⁽ᵏ⁾ - g|", marks=marks, log_x=True)


def _counts(k: int) -> tuple[int, ...]:
    return tuple(2**j for j in range(1, k - 1))


def _follower(k: int, t: int) -> PiecewiseLinear:
    pieces = affine_pieces(tooth_follower(k, t), 0.0, 1.0)
    first, last = pieces.slopes[[0, -1], 0].tolist()
    return PiecewiseLinear(pieces.s, pieces.values[:, 0], first, last)


def _on_unit(f: PiecewiseLinear) -> PiecewiseLinear:
    """Moved from [-1, 1] to [0, 1], about the height 1/2."""
    return PiecewiseLinear((f.knots + 1) / 2, f.values + 0.5, f.left, f.right)
