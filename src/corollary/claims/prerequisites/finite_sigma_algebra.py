r"""The number of events of a finite sigma-algebra is a power of two.

Let :math:`\mathcal F` be a sigma-algebra on a finite set and :math:`A_1,\dots,A_k` its atoms, the
smallest events that are not empty. Every event is the union of the atoms in it, so

.. math:: |\mathcal F|=2^k .

A collection that lacks a union or a complement is no sigma-algebra, and may have any size.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.5, Definition 8 and Figure 1.4;
    Billingsley (1995), Probability and Measure, Section 2.
:kind: identity
:covers: finite-sigma-algebra
:scale-free: all numbers are counts of events.
"""

from collections.abc import Hashable
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Suppose, Sweep, equals, option
from corollary.theory.prerequisites.sigma_algebra import SigmaAlgebra

Events = frozenset[frozenset[Hashable]]


class Given(NamedTuple):
    omega: frozenset[Hashable]  # the outcomes
    events: Events


def lacks(given: Given) -> tuple[bool, str]:
    """What the collection lacks to be a sigma-algebra."""
    missing = SigmaAlgebra(*given).violation()
    return not missing, missing


def without_a_union() -> Given:
    """Two single outcomes of four and their complements, but not their union: six events."""
    omega, ones = frozenset(range(4)), [frozenset({0}), frozenset({1})]
    return Given(omega, frozenset([frozenset(), omega, *ones, *(omega - s for s in ones)]))


class FiniteSigmaAlgebra(Claim[Given]):
    n: int = option(16, low=2, high=64)  # outcomes
    sets: int = option(3, low=1, high=4)  # drawn sets, which generate it

    relation = equals()  # counts
    supposes = Suppose("the events are a sigma-algebra", lacks, without=without_a_union)
    symbols = "2^(number of atoms)", "number of events"
    shows = Sweep(
        "Number of events against the number of generating sets", "sets", (1, 2, 3), log="y"
    )

    def given(self, rng: Generator) -> Given:
        """Each outcome is in each generating set with probability 1/2."""
        inside = torch.randint(2, (self.sets, self.n), generator=rng).bool()
        sets = [row.nonzero().flatten().tolist() for row in inside]
        found = SigmaAlgebra.generate(range(self.n), sets)
        return Given(found.omega, found.members)

    def predict(self, given: Given) -> float:
        events = [e for e in given.events if e]
        return float(2 ** sum(not any(other < e for other in events) for e in events))

    def measure(self, given: Given) -> float:
        return float(len(given.events))
