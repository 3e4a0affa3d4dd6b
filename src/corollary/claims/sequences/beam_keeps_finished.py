r"""A beam keeps what is finished.

Once every sequence of positive probability has ended, more steps change nothing: a beam search
that keeps finished sequences finds the same for every number of steps,

.. math:: p_{\text{beam}}(N)=p_{\text{beam}}(N_0)\qquad(N\ge N_0),

in the notes' example 0.28 for (B, B1). A search that keeps only what it has just extended loses
them.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.4 and Listing 10.4.
:kind: algorithm
:cost: instant
:covers: beam-search
:erratum: [code bug] Listing 10.4 drops every hypothesis whose last token has no expansion: with
    steps=3 the beam of its own example is empty, and final_beam[0] raises an IndexError. The
    counterexample here is that search; what an empty beam has found is counted as 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.sequences.decoding.beam import beam_search
from corollary.theory.sequences.decoding.next_token import NextToken, TokenTable

NOTES = TokenTable(
    {"A": 0.40, "B": 0.35, "C": 0.25}, {"A": {"A1": 0.50, "A2": 0.20}, "B": {"B1": 0.80}}
)


class Given(NamedTuple):
    """A table, a width, and whether finished sequences are kept."""

    table: TokenTable
    width: int
    keeps: bool


@dataclass(frozen=True)
class BeamKeepsFinished(Claim[Given]):
    """The probability that is found, as the number of steps grows past the end."""

    width: int = option(2, high=6)  # of the beam
    steps: int = option(6, low=3, high=50)  # the most steps
    relation = equals(ulps=8)  # two factors

    def given(self, rng: Generator) -> Given:
        """The example of the notes."""
        return Given(NOTES, self.width, True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """What the search does with sequences that cannot go on."""
        yield Hypothesis("finished sequences are kept", given.keeps)

    def predict(self, given: Given) -> list[float]:
        """By hand: A, A1 has 0.2 and is all that a beam of one sees; B, B1 has 0.28."""
        return [0.4 * 0.5 if given.width == 1 else 0.35 * 0.8] * (self.steps - 1)

    def measure(self, given: Given) -> list[float]:
        """The best after 2, 3, ... steps."""
        return [_found(given, N) for N in range(2, self.steps + 1)]

    def counterexample(self, rng: Generator) -> Given:
        """The search of the listing."""
        return Given(NOTES, self.width, False)

    def figure(self, given: Given) -> Figure:
        """Both searches."""
        N = list(range(2, self.steps + 1))
        dropping = [_found(given._replace(keeps=False), n) for n in N]
        marks = (
            Curve(self.predict(given), N, label="by hand", role="predicted"),
            Points(N, self.measure(given), label="beam search"),
            Points(N, dropping, label="Listing 10.4: empty from step 3 on", role="other"),
        )
        return Figure("Finished sequences stay", x="steps N", y="probability found", marks=marks)


def _found(given: Given, N: int) -> float:
    if given.keeps:
        return beam_search(given.table, given.width, N)[0].probability
    return _dropping(given.table, given.width, N)


def _dropping(model: NextToken, width: int, N: int) -> float:
    """Only extensions survive a step, as in the listing; 0 if none is left."""
    prefix, p = torch.empty(1, 0, dtype=torch.int64), torch.ones(1, dtype=torch.float64)
    for _ in range(N):
        grown = p[:, None] * model(prefix).exp()  # (b, K)
        row, token = (grown > 0).nonzero(as_tuple=True)
        order = grown[row, token].argsort(descending=True)[:width]
        row, token = row[order], token[order]
        prefix, p = torch.cat([prefix[row], token[:, None]], dim=1), grown[row, token]
    return float(p.max()) if len(p) else 0.0
