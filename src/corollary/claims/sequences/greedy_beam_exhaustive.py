r"""Greedy, beam, exhaustive.

The probability of the sequence found by greedy decoding, by beam search of width B and by
exhaustive search grows,

.. math:: p_{\text{greedy}}\le p_{\text{beam}}\le p_{\max},

if the greedy prefix stays in the beam up to the last step, as it always does over two steps. In the
notes' example they are 0.20, 0.28 and 0.28. Over three steps or more the first inequality can
fail: continuations of another prefix push the greedy one out, and then come to nothing.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.4. The counterexample is ours.
:kind: bound
:cost: instant
:covers: greedy-decoding, beam-search, exhaustive-sequence-search
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, at_most, option
from corollary.theory.sequences.decoding.beam import beam_search
from corollary.theory.sequences.decoding.exhaustive import decode_exhaustive
from corollary.theory.sequences.decoding.greedy import decode_greedy
from corollary.theory.sequences.decoding.next_token import NextToken, TokenTable


class Given(NamedTuple):
    """A model, the number of tokens to write and the width of the beam."""

    model: NextToken
    N: int
    width: int


@dataclass(frozen=True)
class GreedyBeamExhaustive(Claim[Given]):
    """Probabilities of what three searches find."""

    K: int = option(8, low=2, high=20)  # tokens
    N: int = option(2, low=1, high=5)  # length of the sequences
    width: int = option(3, high=50)  # of the beam
    relation = at_most(ulps=64)  # sums of N logarithms, exponentiated

    def given(self, rng: Generator) -> Given:
        """A random Markov chain: first tokens nearly alike, some of them surer of what follows."""
        logits = torch.randn(self.K + 1, self.K, generator=rng, dtype=torch.float64)
        logits[1:] *= 5 * torch.rand(self.K, 1, generator=rng, dtype=torch.float64)
        logits[0] *= 0.3
        rows = logits.softmax(dim=1).tolist()
        names = [f"t{k}" for k in range(self.K)]
        first, *after = (dict(zip(names, row, strict=True)) for row in rows)
        return Given(TokenTable(first, dict(zip(names, after, strict=True))), self.N, self.width)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The beam at each step, and the greedy prefix."""
        (greedy,) = decode_greedy(given.model, given.N)
        lost = next((n for n in range(1, given.N) if not _keeps(given, greedy.tokens, n)), 0)
        yield Hypothesis(
            "the greedy prefix stays in the beam up to the last step",
            lost == 0,
            f"lost at step {lost}" * bool(lost),
        )

    def predict(self, given: Given) -> list[float]:
        """Beam above greedy, the optimum above the beam."""
        best = decode_exhaustive(given.model, given.N).probability
        return [beam_search(given.model, given.width, given.N)[0].probability, best]

    def measure(self, given: Given) -> list[float]:
        """Greedy and beam."""
        beam = beam_search(given.model, given.width, given.N)[0].probability
        return [decode_greedy(given.model, given.N)[0].probability, beam]

    def counterexample(self, rng: Generator) -> Given:
        """Both continuations of B push A1 out of a beam of two, and crumble."""
        crumbs = {f"c{k}": 0.1 for k in range(10)}
        after = {
            "A": {"A1": 0.4, "A2": 0.3, "A3": 0.3}, "A1": {"A11": 1.0},
            "B": {"B1": 0.5, "B2": 0.5}, "B1": crumbs, "B2": crumbs, "C": crumbs,
        }  # fmt: skip
        return Given(TokenTable({"A": 0.4, "B": 0.35, "C": 0.25}, after), 3, 2)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """What beams of all widths find, here and where the greedy prefix is lost."""
        odd = self.counterexample(torch.Generator())
        return (
            _widths(given, "The wider the beam, the better, over two steps"),
            _widths(odd, "Over three steps a beam can lose to greedy"),
        )


def _keeps(given: Given, greedy: tuple[int, ...], n: int) -> bool:
    beam = beam_search(given.model, given.width, n)
    return any(found.tokens == greedy[:n] for found in beam)


def _widths(given: Given, title: str) -> Figure:
    widths = list(range(1, 9))
    found = [beam_search(given.model, B, given.N)[0].probability for B in widths]
    best = decode_exhaustive(given.model, given.N).probability
    greedy = decode_greedy(given.model, given.N)[0].probability
    marks = (
        Level(best, label="most probable sequence", role="predicted"),
        Curve(found, widths, label="found by the beam"),
        Level(greedy, label="found by greedy", role="other"),
    )
    return Figure(title, x="width B", y="probability", marks=marks)
