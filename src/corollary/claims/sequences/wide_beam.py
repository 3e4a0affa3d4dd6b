r"""A beam that prunes nothing is exhaustive.

Over N steps with K tokens, beam search of width

.. math:: B\ge K^{N-1}

returns the most probable sequence: up to the last step there are at most :math:`K^{N-1}` prefixes,
and all of them are kept. A narrower beam may miss it.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.4.
:kind: theorem
:cost: instant
:covers: beam-search, exhaustive-sequence-search
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.theory.sequences.decoding.beam import beam_search
from corollary.theory.sequences.decoding.exhaustive import decode_exhaustive
from corollary.theory.sequences.decoding.next_token import NextToken, TokenTable


class Given(NamedTuple):
    """A model over K tokens, the number of steps and the width of the beam."""

    model: NextToken
    K: int
    N: int
    width: int


@dataclass(frozen=True)
class WideBeam(Claim[Given]):
    """The best of the beam against the best of all sequences."""

    K: int = option(5, low=2, high=8)  # tokens
    N: int = option(4, low=1, high=5)  # steps
    relation = equals(ulps=64)  # sums of N logarithms

    def given(self, rng: Generator) -> Given:
        """A random Markov chain, with tokens that are more or less sure of what follows."""
        logits = torch.randn(self.K + 1, self.K, generator=rng, dtype=torch.float64)
        logits[:-1] *= 4 * torch.rand(self.K, 1, generator=rng, dtype=torch.float64)
        logits[-1] *= 0.3  # first tokens are nearly alike
        log_p = logits.log_softmax(dim=1)
        return Given(_Chain(log_p), self.K, self.N, self.K ** (self.N - 1))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The width."""
        needed = given.K ** (given.N - 1)
        yield Hypothesis(
            "the beam holds all prefixes up to the last step",
            given.width >= needed,
            f"width {given.width} of {needed}",
        )

    def predict(self, given: Given) -> float:
        """The logarithm of the largest probability."""
        return decode_exhaustive(given.model, given.N).log_probability

    def measure(self, given: Given) -> float:
        """That of what the beam finds."""
        return beam_search(given.model, given.width, given.N)[0].log_probability

    def counterexample(self, rng: Generator) -> Given:
        """The example of the notes with a beam of one: 0.20 in place of 0.28."""
        after = {"A": {"A1": 0.5, "A2": 0.2}, "B": {"B1": 0.8}}
        return Given(TokenTable({"A": 0.4, "B": 0.35, "C": 0.25}, after), 6, 2, 1)

    def figure(self, given: Given) -> Figure:
        """The probability found by beams of growing width."""
        widths = [2**k for k in range(given.width.bit_length())] + [given.width]
        found = [beam_search(given.model, B, given.N)[0].probability for B in widths]
        marks = (
            Level(self._best(given), label="most probable sequence", role="predicted"),
            Curve(found, widths, label="found by the beam"),
            Level(float(given.width), label="B = Kᴺ⁻¹", role="other", axis="x"),
        )
        return Figure("From greedy to exhaustive", x="width B", y="probability", marks=marks,
                      log_x=True)  # fmt: skip

    def _best(self, given: Given) -> float:
        return decode_exhaustive(given.model, given.N).probability


@dataclass(frozen=True)
class _Chain:
    """Log-probabilities after each token, and at the start in the last row."""

    log_p: torch.Tensor

    def __call__(self, prefix: torch.Tensor) -> torch.Tensor:
        last = prefix[:, -1] if prefix.shape[1] else torch.full((len(prefix),), len(self.log_p) - 1)
        return self.log_p[last]
