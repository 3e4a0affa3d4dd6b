r"""Closure, density of the rationals and compactness, on the line and in exact numbers.

A subset of :math:`\mathbb{R}^d` is compact (every open cover has a finite subcover) iff it is
closed and bounded; :math:`\operatorname{cl}(A)=A\cup A'` adds the limit points; between any two
reals lies a rational.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.6, Definitions 10-16, Propositions
    8 and 9, Theorem 10 (the rationals are dense).
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from corollary.errors import InputError

Number = int | float | Fraction


class Interval(NamedTuple):
    """An interval with its ends in or out; one point is ``Interval(a, a)``."""

    low: Number
    high: Number
    low_in: bool = True
    high_in: bool = True


class Cover(NamedTuple):
    """The chosen intervals, or the point that no interval covers."""

    chosen: tuple[int, ...]  # numbers of the intervals of a finite subcover
    uncovered: Fraction | None


def rational_between(a: Number, b: Number) -> Fraction:
    r"""A fraction p/q strictly between a and b.

    Any :math:`q>1/(b-a)` will do, with :math:`p=\lfloor aq\rfloor+1`.

    Exact: floating-point ends are read as the rationals they are.

    Example:
        >>> rational_between(0, 0.3)
        Fraction(1, 4)
    """
    low, high = _exact("a", a), _exact("b", b)
    if low >= high:
        raise InputError(f"there is a number between a and b only if a < b, but {a} >= {b}")
    q = math.floor(1 / (high - low)) + 1
    return Fraction(math.floor(low * q) + 1, q)


def closure(pieces: Sequence[Interval]) -> tuple[Interval, ...]:
    r"""The closure of a finite union of intervals, as disjoint closed intervals in order.

    Example:
        >>> closure([Interval(0, 1, False, False), Interval(1, 2, False, True), Interval(5, 5)])
        (Interval(low=0, high=2, low_in=True, high_in=True),
         Interval(low=5, high=5, low_in=True, high_in=True))

    :covers: closed-sets-density-compactness
    :erratum: [loose] Definition 13 describes the closure in words as the union of the limit
        points; isolated points belong too, as its formula cl(A) = A u A' says (A = {0} has no
        limit point, and its closure is {0}). Proposition 9 and Definition 16, by sequences, agree
        with the definitions by open sets in metric spaces, not in a general topological space.
    """
    closed: list[Interval] = []
    for piece in sorted(p for p in pieces if not _is_empty(p)):
        if closed and piece.low <= closed[-1].high:
            closed[-1] = Interval(closed[-1].low, max(closed[-1].high, piece.high))
        else:
            closed.append(Interval(piece.low, piece.high))
    return tuple(closed)


def limit_points(pieces: Sequence[Interval]) -> tuple[Interval, ...]:
    r"""The set A' of limit points: the closure without isolated points.

    Example:
        >>> limit_points([Interval(0, 0)])
        ()
    """
    return tuple(p for p in closure(pieces) if p.low < p.high)


def finite_subcover(a: Number, b: Number, intervals: Sequence[tuple[Number, Number]]) -> Cover:
    r"""From open intervals that cover [a, b], finitely many that still do, by greed.

    From the first uncovered point one takes the interval around it that reaches furthest; that is
    a smallest subcover. Without a cover the first uncovered point is given. Cost: :math:`O(n^2)`.

    Example:
        >>> finite_subcover(0, 1, [(-1, 0.5), (0.25, 0.75), (0.4, 2)])
        Cover(chosen=(0, 2), uncovered=None)
        >>> finite_subcover(0, 1, [(1 / n, 2) for n in range(1, 9)]).uncovered
        Fraction(0, 1)
    """
    start, end = _exact("a", a), _exact("b", b)
    if start > end:
        raise InputError(f"[a, b] needs a <= b, but {a} > {b}")
    opens = [(_exact("an end", low), _exact("an end", high)) for low, high in intervals]
    chosen: list[int] = []
    point = start
    while point <= end:
        around = [i for i, (low, high) in enumerate(opens) if low < point < high]
        if not around:
            return Cover(tuple(chosen), point)
        best = max(around, key=lambda i: opens[i][1])
        chosen.append(best)
        point = opens[best][1]  # the right end is not in the open interval
    return Cover(tuple(chosen), None)


def _exact(name: str, value: Number) -> Fraction:
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{name} must be finite, got {value}")
    return Fraction(value)


def _is_empty(piece: Interval) -> bool:
    if piece.low > piece.high:
        raise InputError(f"an interval needs low <= high, but {piece.low} > {piece.high}")
    return piece.low == piece.high and not (piece.low_in and piece.high_in)
