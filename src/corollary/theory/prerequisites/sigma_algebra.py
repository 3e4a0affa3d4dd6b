r"""Sigma-algebras on finite sets, measurable maps and probability measures.

:math:`\mathcal{F}` contains :math:`\Omega` and is closed under complements and unions; a map X is
a random variable iff every :math:`X^{-1}(B)` is in :math:`\mathcal{F}`. On a finite set a
sigma-algebra is given by its atoms: the members are the unions of atoms.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.5, Definitions 8 and 9.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, combinations
from typing import NamedTuple

from corollary.errors import InputError

Event = frozenset[Hashable]
LARGEST = 20  # atoms of which all unions may be listed


class Measurability(NamedTuple):
    """Whether a map is measurable; if not, an event of its value that is no member."""

    holds: bool
    value: Hashable = None
    witness: Event = frozenset()


@dataclass(frozen=True)
class SigmaAlgebra:
    """A collection of events on a finite set.

    Example:
        >>> F = SigmaAlgebra.generate({1, 2, 3, 4}, [{1, 2}])
        >>> sorted(map(sorted, F.members))
        [[], [1, 2], [1, 2, 3, 4], [3, 4]]

    :covers: finite-sigma-algebra
    """

    omega: Event
    members: frozenset[Event]

    @classmethod
    def generate(
        cls, omega: Iterable[Hashable], sets: Iterable[Iterable[Hashable]] = ()
    ) -> "SigmaAlgebra":
        """The smallest sigma-algebra that contains the sets: 2^k members for k atoms."""
        whole = frozenset(omega)
        given = [frozenset(s) for s in sets]
        for s in given:
            if not s <= whole:
                raise InputError(f"every set must lie in omega, but {set(s - whole)} do not")
        atoms: dict[tuple[bool, ...], set[Hashable]] = {}
        for point in whole:
            atoms.setdefault(tuple(point in s for s in given), set()).add(point)
        if len(atoms) > LARGEST:
            raise InputError(
                f"expected at most {LARGEST} atoms, because n atoms give 2^n "
                f"events, got {len(atoms)}"
            )
        blocks = [frozenset(block) for block in atoms.values()]
        unions = chain.from_iterable(combinations(blocks, r) for r in range(len(blocks) + 1))
        return cls(whole, frozenset(frozenset().union(*union) for union in unions))

    def violation(self) -> str:
        """What the collection lacks to be a sigma-algebra; empty if nothing."""
        if self.omega not in self.members:
            return "omega itself is missing"
        for event in self.members:
            if self.omega - event not in self.members:
                return f"the complement of {set(event) or '{}'} is missing"
        for a, b in combinations(self.members, 2):
            if a | b not in self.members:
                return f"the union of {set(a)} and {set(b)} is missing"
        return ""

    def is_valid(self) -> bool:
        """Whether it is a sigma-algebra."""
        return not self.violation()


def is_measurable(X: Callable[[Hashable], Hashable], F: SigmaAlgebra) -> Measurability:
    r"""Whether X is a random variable: the preimages of its values decide, as X is finite.

    Example:
        >>> dice = [(i, j) for i in range(1, 7) for j in range(1, 7)]
        >>> is_measurable(sum, SigmaAlgebra.generate(dice))
        Measurability(holds=False, value=2, witness=frozenset({(1, 1)}))
    """
    preimages: dict[Hashable, set[Hashable]] = {}
    for point in F.omega:
        preimages.setdefault(X(point), set()).add(point)
    for value in sorted(preimages, key=lambda v: (len(preimages[v]), len(repr(v)), repr(v))):
        if frozenset(preimages[value]) not in F.members:
            return Measurability(False, value, frozenset(preimages[value]))
    return Measurability(True)


@dataclass(frozen=True)
class FiniteMeasure:
    """A probability measure on finitely many outcomes, by their masses.

    Example:
        >>> die = FiniteMeasure({i: 1 / 6 for i in range(1, 7)})
        >>> round(die.probability({2, 4, 6}), 12), round(die.expectation(lambda i: i), 12)
        (0.5, 3.5)
    """

    masses: Mapping[Hashable, float]

    def __post_init__(self) -> None:
        bad = [k for k, p in self.masses.items() if not p >= 0]
        if bad:
            raise InputError(f"masses must not be negative, but the mass of {bad[0]!r} is")
        total = float(sum(self.masses.values()))
        if not abs(total - 1) <= 1e-12:
            raise InputError(
                f"masses must sum to 1, but they sum to {total:.12g}; divide them by this sum"
            )

    def probability(self, event: Iterable[Hashable]) -> float:
        """The sum of the masses of the event's outcomes."""
        return float(sum(self.masses.get(outcome, 0.0) for outcome in set(event)))

    def expectation(self, X: Callable[[Hashable], float]) -> float:
        """The mean of X."""
        return float(sum(p * X(outcome) for outcome, p in self.masses.items()))
