r"""A function with few affine pieces cannot approximate a sawtooth with many.

Every function g with t affine pieces has the distance

.. math:: \int_0^1 |m^{(k)}(x) - g(x)|\,dx \ge (2^{k-1} - 1 - t)\,2^{-k-2}

from the sawtooth with :math:`2^k` pieces, whichever network it comes from: the step of Telgarsky's
proof in which depth plays no part. Among all functions with t pieces, even with jumps, the least
square error is found by dynamic programming; that optimum, too, obeys the bound.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 30; Telgarsky (2016),
    "Benefits of depth in neural networks".
:kind: bound
:uses: iterated_tent, pieces_calculus
:covers: telgarsky-depth-separation
:loose: The proof counts the triangles on one side of the line 1/2, but the constant 1/2 misses the
    triangles on both sides.
"""

from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Along, Claim, Suppose, at_least, option
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
    functions: tuple[PiecewiseLinear, ...]  # on [0, 1]
    pieces: tuple[int, ...]  # that each is said to have


class TelgarskyPieces(Claim[Given]):
    k: int = option(6, low=3, high=8)  # tents; 2^k pieces

    relation = at_least(ulps=64)  # sums of up to 2^k areas
    supposes = Suppose(
        "no function has more than the stated number of pieces on [0, 1]",
        lambda g: all(f.pieces <= t for f, t in zip(g.functions, g.pieces, strict=True)),
        "The sawtooth itself has no error, but many more than two pieces.",
        lambda self: Given((sawtooth_curve(self.k),), (2,)),
    )
    symbols = "(2ᵏ⁻¹ − 1 − t) 2⁻ᵏ⁻²", "∫ |m⁽ᵏ⁾ − g|"
    rows = tuple(
        f"{kind}, t = {t}" for kind in ("follower", "zig-zag", "best fit") for t in (2, 4, 8, 16)
    )

    shows = Along(
        "Distance of functions with t pieces from the sawtooth",
        x="t",
        at="counts",
        log="x",
        parts=("functions that follow single teeth", "random zig-zags", "best fit, jumps allowed"),
        without=False,
    )

    @property
    def counts(self) -> tuple[int, ...]:
        """Pieces t."""
        return tuple(2**j for j in range(1, self.k - 1))

    def given(self, rng: Generator) -> Given:
        followers = []
        for t in self.counts:
            pieces = affine_pieces(tooth_follower(self.k, t), 0.0, 1.0)
            first, last = pieces.slopes[[0, -1], 0].tolist()
            followers.append(PiecewiseLinear(pieces.s, pieces.values[:, 0], first, last))
        zigzags = (random_piecewise(t, rng=rng) for t in self.counts)  # on [-1, 1], about 0
        moved = (
            PiecewiseLinear((f.knots + 1) / 2, f.values + 0.5, f.left, f.right) for f in zigzags
        )
        return Given((*followers, *moved), self.counts * 2)

    def predict(self, given: Given) -> list[float]:
        best = given.pieces[: len(given.pieces) // 2]  # of the fits
        return [telgarsky_lower(t, self.k) for t in (*given.pieces, *best)]

    def measure(self, given: Given) -> list[float]:
        n = PER_PIECE * 2**self.k
        x = (torch.arange(n, dtype=torch.float64) + 0.5) / n
        y, counts = sawtooth_values(x, self.k), given.pieces[: len(given.pieces) // 2]
        fits = [float((best_segments(x, y, t).fitted - y).abs().mean()) for t in counts]
        return [*(integral_distance(sawtooth_curve(self.k), f) for f in given.functions), *fits]
