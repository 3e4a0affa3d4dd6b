r"""Logarithmic depth of a parallel scan.

With as many processors as elements, all states of a linear recurrence of length T take

* :math:`\lceil\log_2T\rceil` steps and :math:`T\lceil\log_2T\rceil-2^{\lceil\log_2T\rceil}+1`
  compositions after Hillis and Steele,
* :math:`2\log_2T-1` steps and :math:`2T-2-\log_2T` compositions after Blelloch, for T a power of
  two,

in place of T - 1 steps of the loop.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Hillis and Steele (1986), "Data parallel
    algorithms"; Blelloch (1990), "Prefix sums and their applications".
:kind: theorem
:uses: prefix_scan
:covers: prefix-scan-recurrence
:scale-free: steps are counted, whatever the numbers are.
"""

from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Points, Suppose, Trial, equals
from corollary.theory.sequences.scan import Method, prefixes


class Given(NamedTuple):
    """Lengths, and what runs."""

    sizes: tuple[int, ...]
    methods: tuple[Method, Method]


def counted(T: int, method: Method) -> tuple[int, int]:
    """Steps and compositions of a scan."""
    counts: list[int] = []
    one = torch.ones(T, 1, dtype=torch.float64)
    prefixes((one, one), method, counts=counts)
    return len(counts), sum(counts)


def in_a_tree(given: Given) -> bool:
    """Whether the first step of a long scan composes several pairs at once."""
    for method in given.methods:
        counts: list[int] = []
        one = torch.ones(64, 1, dtype=torch.float64)
        prefixes((one, one), method, counts=counts)
        if counts[0] == 1:
            return False
    return True


class ScanDepth(Claim[Given]):
    sizes: tuple[int, ...] = (2, 4, 8, 16, 32, 64, 128, 256)  # lengths T, powers of two

    relation = equals()  # counts
    supposes = (
        Suppose(
            "steps are composed in a tree",
            in_a_tree,
            "A loop instead of a tree takes one step per element.",
            methods=("sequential", "sequential"),
        ),
        Suppose(
            "lengths are powers of two",
            lambda g: all(T >= 2 and T & (T - 1) == 0 for T in g.sizes),
            "If the length is a power of two plus one, more steps are needed.",
            sizes=lambda g: tuple(T + 1 for T in g.sizes),
        ),
    )
    symbols = "formula", "counted"

    def given(self, rng: Generator) -> Given:
        """Nothing is random: the counts do not depend on the numbers."""
        return Given(self.sizes, ("hillis_steele", "blelloch"))

    def predict(self, given: Given) -> list[float]:
        """Steps and compositions of both trees."""
        rows = [(T, T.bit_length() - 1) for T in given.sizes]
        return [n for T, k in rows for n in (k, T * k - T + 1, 2 * k - 1, 2 * T - 2 - k)]

    def measure(self, given: Given) -> list[float]:
        return [n for T in given.sizes for method in given.methods for n in counted(T, method)]

    def figure(self, trial: Trial[Given]) -> tuple[Figure, ...]:
        """Steps and compositions against the length."""
        T = trial.given.sizes
        loop = Curve([n - 1 for n in T], T, "loop", "other", dashed=True)
        figures = []
        for start, y in enumerate(("steps", "compositions")):
            marks: list[Curve | Points] = [loop]
            for k, name in ((start, "Hillis and Steele"), (start + 2, "Blelloch")):
                marks.append(Curve(trial.predicted[k::4], T, f"{name}, formula", "predicted"))
                marks.append(Points(T, trial.measured[k::4], label=f"{name}, counted"))
            figures.append(
                Figure(
                    f"{y.capitalize()} of a scan",
                    marks=tuple(marks),
                    x="T",
                    y=y,
                    log_x=True,
                    log_y=True,
                )
            )
        return tuple(figures)
