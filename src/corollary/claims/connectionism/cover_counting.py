r"""Cover's function-counting theorem.

For s points in general position in :math:`\mathbb R^n` (every n or fewer of them linearly
independent) the number of labellings that a hyperplane through the origin realises is

.. math:: C(s, n) = 2 \sum_{i=0}^{n-1} \binom{s-1}{i}.

It follows from :math:`C(s+1, n) = C(s, n) + C(s, n-1)` with :math:`C(1, n) = C(s, 1) = 2`; all
:math:`2^s` labellings are realised iff :math:`s \le n`. The number never decreases with s; the
*fraction* :math:`C(s, n)/2^s` falls from 1 to 0 and is exactly 1/2 at :math:`s = 2n`.

:source: Perez Jensen (2025), Deep Learning, Section 1.2, Theorem 1.4; Cover (1965), "Geometrical
    and statistical properties of systems of linear inequalities", Theorem 1; Schläfli (1852).
:kind: theorem
:cost: instant
:covers: cover-function-counting
:erratum: [wrong] The notes remark after Theorem 1.4 that after s = 2n the number of linear
    classifications decreases steeply, quickly moving toward 0. The number never decreases: C(8, 4)
    = 128 at s = 2n, C(16, 4) = 1152 at s = 4n. It is the fraction C(s, n) / 2^s that falls, from
    1/2 to 0.0176 there. [notation] The theorem speaks of s points, while its (correct) formula
    2 sum_i binom(s, i) counts the labellings of s + 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, equals, option
from corollary.theory.connectionism.cover import (
    cover_count,
    enumerate_dichotomies,
    in_general_position,
    separable_probability,
)


class Given(NamedTuple):
    """Points to be labelled."""

    x: Float[Tensor, "s n"]


@dataclass(frozen=True)
class CoverCounting(Claim[Given]):
    """Labellings found by splitting version spaces, against the formula."""

    s: int = option(8, low=2, high=12)  # points
    n: int = option(3, low=2, high=5)  # dimension
    relation = equals()  # two integers

    def given(self, rng: Generator) -> Given:
        """Gaussian points: in general position with probability 1."""
        return Given(torch.randn(self.s, self.n, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """General position."""
        yield Hypothesis(
            "the points are in general position: every n or fewer are independent",
            in_general_position(given.x),
        )

    def predict(self, given: Given) -> float:
        """The formula."""
        return float(cover_count(*given.x.shape))

    def measure(self, given: Given) -> float:
        """The number of patterns found."""
        return float(len(enumerate_dichotomies(given.x)))

    def counterexample(self, rng: Generator) -> Given:
        """The last point is a mirrored copy of the first: its label is decided by that one's."""
        (x,) = self.given(rng)
        return Given(torch.cat([x[:-1], -2 * x[:1]]))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The number as points come in; and the fraction, which is what falls."""
        n = self.n
        seen = list(range(1, len(given.x) + 1))
        found = [len(enumerate_dichotomies(given.x[:s])) for s in seen]
        more = list(range(1, max(6 * n, len(given.x)) + 1))
        number = Figure(
            f"Labellings that a hyperplane realises, n = {n}",
            x="s",
            y="C(s, n)",
            log_y=True,
            marks=(
                Curve([cover_count(s, n) for s in more], more, label="C(s, n)", role="predicted"),
                Curve([2.0**s for s in more], more, "all 2^s", role="other", dashed=True),
                Points(seen, found, label="enumerated"),
            ),
        )
        p = [float(separable_probability(s, n)) for s in more]
        fraction = Figure(
            "The number never falls, the fraction does",
            x="s",
            y="C(s, n) / 2^s",
            marks=(
                Curve(p, more, label="C(s, n) / 2^s", role="predicted"),
                Points(seen, [f / 2**s for f, s in zip(found, seen, strict=True)], "enumerated"),
                Level(2 * n, label="s = 2n", role="other", axis="x"),
                Level(0.5, label="1/2", role="other"),
            ),
        )
        return number, fraction
