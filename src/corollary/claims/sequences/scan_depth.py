r"""Logarithmic depth of a scan.

With as many processors as elements, all states of a linear recurrence of length T take

* :math:`\lceil\log_2T\rceil` steps and :math:`T\lceil\log_2T\rceil-2^{\lceil\log_2T\rceil}+1`
  compositions after Hillis and Steele,
* :math:`2\log_2T-1` steps and :math:`2T-2-\log_2T` compositions after Blelloch, for T a power of
  two,

in place of T - 1 steps of the loop.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Hillis and Steele (1986), "Data parallel
    algorithms"; Blelloch (1990), "Prefix sums and their applications".
:kind: theorem
:cost: instant
:covers: prefix-scan-recurrence
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals
from corollary.theory.sequences.scan import Method, prefixes


class Given(NamedTuple):
    """Lengths, and what runs."""

    sizes: tuple[int, ...]
    methods: tuple[Method, Method]


@dataclass(frozen=True)
class ScanDepth(Claim[Given]):
    """Steps and compositions, counted while the scans run."""

    sizes: tuple[int, ...] = (2, 4, 8, 16, 32, 64, 128, 256)  # lengths T, powers of two
    relation = equals()  # counts

    def given(self, rng: Generator) -> Given:
        """Nothing is random: the counts do not depend on the numbers."""
        return Given(self.sizes, ("hillis_steele", "blelloch"))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Trees, and lengths that fit them."""
        tree = given.methods == ("hillis_steele", "blelloch")
        yield Hypothesis("steps are composed in a tree", tree)
        powers = all(T >= 2 and T & (T - 1) == 0 for T in given.sizes)
        yield Hypothesis("lengths are powers of two", powers)

    def predict(self, given: Given) -> list[float]:
        """Steps and compositions of both trees."""
        logs = [T.bit_length() - 1 for T in given.sizes]
        rows = zip(given.sizes, logs, strict=True)
        return [
            float(number)
            for T, k in rows
            for number in (k, T * k - T + 1, 2 * k - 1, 2 * T - 2 - k)
        ]

    def measure(self, given: Given) -> list[float]:
        """The same, counted."""
        first, second = given.methods
        return [
            float(number)
            for T in given.sizes
            for number in (*_counted(T, first), *_counted(T, second))
        ]

    def counterexample(self, rng: Generator) -> Given:
        """The loop in place of the trees."""
        return Given(self.sizes, ("sequential", "sequential"))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Steps and compositions against the length."""
        names = {"hillis_steele": "Hillis and Steele", "blelloch": "Blelloch"}
        figures = []
        for which, y, start in ((0, "steps", 0), (1, "compositions", 1)):
            predicted = self.predict(given)[start::2]
            marks = []
            for place, (method, name) in enumerate(names.items()):
                marks.append(Curve(predicted[place::2], x=given.sizes, label=f"{name}, formula",
                                   role="predicted"))  # fmt: skip
                counts = [_counted(T, method)[which] for T in given.sizes]
                marks.append(Points(given.sizes, counts, label=f"{name}, counted"))
            loop = Curve([T - 1 for T in given.sizes], x=given.sizes, label="loop", role="other",
                         dashed=True)  # fmt: skip
            figures.append(Figure(f"{y.capitalize()} of a scan", x="T", y=y, log_x=True,
                                  log_y=True, marks=(*marks, loop)))  # fmt: skip
        return figures[0], figures[1]


def _counted(T: int, method: Method) -> tuple[int, int]:
    counts: list[int] = []
    one = torch.ones(T, 1, dtype=torch.float64)
    prefixes((one, one), method, counts=counts)
    return len(counts), sum(counts)
