r"""Beam search keeps finished sequences.

Once every sequence of positive probability has ended, more steps change nothing: a beam search
that keeps finished sequences finds the same for every number of steps,

.. math:: p_{\text{beam}}(N)=p_{\text{beam}}(N_0)\qquad(N\ge N_0),

in the notes' example 0.28 for (B, B1). A search that keeps only what it has just extended loses
them.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.4 and Listing 10.4.
:kind: algorithm
:covers: beam-search
:erratum: [code bug] Listing 10.4 drops every hypothesis whose last token has no expansion: with
    steps=3 the beam of its own example is empty, and final_beam[0] raises an IndexError. The
    counterexample here is that search; what an empty beam has found is counted as 0.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Along, Claim, Suppose, equals, option
from corollary.theory.sequences.decoding.beam import beam_search
from corollary.theory.sequences.decoding.next_token import TokenTable
from corollary.theory.sequences.decoding.reading import NextToken

NOTES = TokenTable(
    {"A": 0.40, "B": 0.35, "C": 0.25}, {"A": {"A1": 0.50, "A2": 0.20}, "B": {"B1": 0.80}}
)
ENDS_AT_ONCE = TokenTable({"A": 1.0}, {})


class Given(NamedTuple):
    search: Callable[[NextToken, int, int], float]  # model, width and steps: probability found
    N: tuple[int, ...]  # steps that it takes


def keeping(model: NextToken, width: int, N: int) -> float:
    """Finished sequences compete with those that go on."""
    return beam_search(model, width, N)[0].probability


def dropping(model: NextToken, width: int, N: int) -> float:
    """Only extensions survive a step, as in the listing; 0 if none is left."""
    prefix, p = torch.empty(1, 0, dtype=torch.int64), torch.ones(1, dtype=torch.float64)
    for _ in range(N):
        grown = p[:, None] * model(prefix).exp()  # (b, K)
        row, token = (grown > 0).nonzero(as_tuple=True)
        order = grown[row, token].argsort(descending=True)[:width]
        row, token = row[order], token[order]
        prefix, p = torch.cat([prefix[row], token[:, None]], dim=1), grown[row, token]
    return float(p.max()) if len(p) else 0.0


class BeamKeepsFinished(Claim[Given]):
    width: int = option(2, high=6)  # width of the beam
    steps: int = option(6, low=3, high=50)  # largest number of steps

    relation = equals(ulps=8)  # two factors
    supposes = (
        Suppose(
            "finished sequences are kept: one of a single token is found after two steps",
            lambda g: g.search(ENDS_AT_ONCE, 1, 2),
            "With Listing 10.4, the beam is empty from step 3 on.",
            search=lambda g: dropping,
        ),
        Suppose(
            "every sequence has ended: in the notes none has more than two tokens",
            lambda g: min(g.N) >= 2,
            "After a single step only first tokens are found.",
            N=lambda g: (1, *g.N[:-1]),
        ),
    )
    symbols = "by hand", "beam search"
    rows = "N = {N}"
    shows = Along(
        "Probability of the best sequence found", x="steps N", y="probability found", at="N"
    )

    def given(self, rng: Generator) -> Given:
        return Given(keeping, tuple(range(2, self.steps + 1)))

    def predict(self, given: Given) -> list[float]:
        """A, A1 has 0.2 and is all that a beam of one sees; B, B1 has 0.28."""
        return [0.4 * 0.5 if self.width == 1 else 0.35 * 0.8] * len(given.N)

    def measure(self, given: Given) -> list[float]:
        return [given.search(NOTES, self.width, N) for N in given.N]
