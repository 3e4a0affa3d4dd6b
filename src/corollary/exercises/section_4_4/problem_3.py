r"""Affine pieces of a ReLU network.

The number of affine pieces of a continuous piecewise linear function of one variable is the
smallest number of intervals on each of which it is affine. A network with :math:`L` layers and
:math:`m` units in all has at most :math:`(2m/L)^L` of them.

:source: Notes, Section 4.4, Problem 3.
:a: ``pieces_of_sum(x, f, g)`` Two functions are given by their values ``f`` and ``g`` at the points
    ``x``, in rising order; between these points, and in their continuation beyond the ends, they
    are affine. Return the number of affine pieces of :math:`f`, of :math:`g` and of :math:`f + g`.
    The last is never more than the sum of the others.
:a-hints: A new piece begins where the slope changes. | Not every given point is a kink. | Kinks of
    both functions may cancel in the sum.
:b: Bound the number of pieces of a unit by induction over the layers.
:b-ungraded: the induction holds for every network; ``corollary prove pieces_depth`` carries it out.
:c: Bound the number of pieces by the depth and the number of units.
:c-ungraded: it follows from b for every network; ``corollary prove pieces_depth`` carries it out.
:d: ``best_depth(m)`` Return the depth, a real number, at which :math:`(2m/L)^L` is largest.
:d-hints: Take the logarithm first. | Set the derivative by :math:`L` to zero. | The base is then
    :math:`e`.
"""

from collections.abc import Iterator

import numpy as np

from corollary.exercises.judging import Array, Case, Rng, equals


def kinky(rng: Rng, x: Array, kinks: list[int]) -> Array:
    """Values of a function whose slope changes at these points only."""
    out = rng.normal() + rng.normal() * x
    for k in kinks:
        out = out + (rng.choice([-1, 1]) * rng.uniform(0.5, 2)) * np.maximum(x - x[k], 0)
    return np.asarray(out)


def part_a(rng: Rng) -> Iterator[Case]:
    """The kinks are planted, so the counts are known."""
    cases: list[tuple[list[int], list[int], str]] = [([2, 4], [3], ""), ([1, 5, 6], [2, 4], "")]
    cases += [([], [3], "an affine function"), ([2, 5], [2, 5], "kinks that cancel")]
    for f_kinks, g_kinks, edge in cases:
        x = np.cumsum(rng.uniform(0.5, 1.5, size=8))
        f, g = kinky(rng, x, f_kinks), kinky(rng, x, g_kinks)
        total = len({*f_kinks, *g_kinks}) + 1
        if edge == "kinks that cancel":
            g, total = 1 + x - f, 1
        counts = [len(f_kinks) + 1, len(g_kinks) + 1, total]
        said = {
            "not every given point is a kink": [len(x) - 1] * 3,
            "your answer is the number of kinks; the number of pieces is larger by one": [
                c - 1 for c in counts
            ],
            "your answer is the bound, not the number of pieces of the sum": [
                *counts[:2],
                counts[0] + counts[1],
            ],
        }
        yield Case({"x": x, "f": f, "g": g}, equals(counts, said), edge)


def part_d(rng: Rng) -> Iterator[Case]:
    """The reference is computed by a search for the maximum of the logarithm."""
    for m, edge in (
        (int(rng.integers(20, 90)), ""),
        (int(rng.integers(100, 400)), ""),
        (1, "m = 1"),
    ):
        low, high = 1e-3, 2.0 * m
        for _ in range(200):  # each leaves two thirds of the interval
            a, b = low + (high - low) / 3, high - (high - low) / 3
            rises = a * np.log(2 * m / a) < b * np.log(2 * m / b)
            low, high = (a, high) if rises else (low, b)
        said = {
            "at the maximum, 2m/L equals e, not 2": float(m),
            "the factor 2 is missing": m / np.e,
            "at your value, the bound is 1": 2.0 * m,
            "your answer is the largest value, not the point where it is attained": np.exp(
                2 * m / np.e
            )
            if m < 200
            else 0.0,
        }
        yield Case({"m": m}, equals(low, said, within=1e-5), edge)  # flat at the maximum
