r"""Proofs that run: a chain of steps, each evaluated on the given instance.

A proof is a function that yields the lines one would write on paper. Words are strings, ``let``
begins a chain, and ``eq``, ``le`` and ``ge`` continue it, each with the next side in LaTeX, its
value, and the reason.

Example:
    The arithmetic mean of two numbers is at least their geometric mean.

    >>> def proof(a, b):
    ...     yield "A square is not negative."
    ...     yield let(r"4ab", 4 * a * b)
    ...     yield le(r"4ab + (a - b)^2", 4 * a * b + (a - b) ** 2, "the square is added")
    ...     yield eq(r"(a + b)^2", (a + b) ** 2, "the binomial formula")
    >>> for step in steps(proof(1.0, 4.0)):
    ...     print(step.left.value, step.relation, step.right.value, "by", step.by)
    16.0 ≤ 25.0 by the square is added
    25.0 = 25.0 by the binomial formula
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

ROUNDING = 2.0**-30  # relative: sums of some thousand terms, and condition numbers up to 10⁴
NOISE = 2.0**-48  # absolute: what is left of numbers of size 1 that cancel


@dataclass(frozen=True)
class Side:
    """One side of a relation: its formula and its value.

    The value is a number, a tensor whose entries are compared one by one, or a SymPy expression.
    """

    tex: str
    value: Any


@dataclass(frozen=True)
class Move:
    """How a chain continues: the relation, the next side, and the reason.

    Args:
        relation: ``=``, ``≤`` or ``≥``.
        to: The side that is reached.
        by: The reason, in words.
        within: The relative error that is allowed, if it is more than rounding.
        loose: The factor that is lost even where the inequality is tightest, if it is not 1.
        wrong: For a proof in the version of the notes: this step is not true.
    """

    relation: str
    to: Side
    by: str
    within: float = ROUNDING
    loose: float = 1.0
    wrong: bool = False


@dataclass(frozen=True)
class Step:
    """One relation of a proof, with the words before it."""

    left: Side
    relation: str
    right: Side
    by: str
    words: str = ""
    within: float = ROUNDING
    loose: float = 1.0
    wrong: bool = False
    begins: bool = False  # the first of its chain


Line = str | Side | Move
Proof = Iterator[Line]


def let(tex: str, value: Any) -> Side:
    """Begin a chain."""
    return Side(tex, value)


def eq(tex: str, value: Any, by: str, **more: Any) -> Move:
    """Equals; keywords as in :class:`Move`."""
    return Move("=", Side(tex, value), by, **more)


def le(tex: str, value: Any, by: str, **more: Any) -> Move:
    """Is at most; keywords as in :class:`Move`."""
    return Move("≤", Side(tex, value), by, **more)


def ge(tex: str, value: Any, by: str, **more: Any) -> Move:
    """Is at least; keywords as in :class:`Move`."""
    return Move("≥", Side(tex, value), by, **more)


def steps(lines: Iterable[Line]) -> Iterator[Step]:
    """The relations of a proof, each yielded as soon as its line is reached."""
    side, words, begins = None, list[str](), False
    for line in lines:
        if isinstance(line, str):
            words.append(line)
        elif isinstance(line, Side):
            side, begins = line, True
        else:
            assert side is not None, "a chain begins with let"
            said = " ".join(words)
            found = line.within, line.loose, line.wrong, begins
            yield Step(side, line.relation, line.to, line.by, said, *found)
            side, words, begins = line.to, [], False
