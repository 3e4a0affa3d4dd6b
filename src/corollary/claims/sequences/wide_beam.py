r"""Beam search that prunes nothing is exhaustive search.

Over N steps with K tokens, beam search of width

.. math:: B\ge K^{N-1}

returns the most probable sequence: up to the last step there are at most :math:`K^{N-1}` prefixes,
and all of them are kept. A narrower beam may miss it.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.4.
:kind: theorem
:uses: sequence_probabilities
:covers: beam-search, exhaustive-sequence-search
"""

from dataclasses import dataclass
from math import exp
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, below, equals, normal, option, uniform
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.theory.sequences.decoding.beam import beam_search
from corollary.theory.sequences.decoding.exhaustive import decode_exhaustive
from corollary.theory.sequences.decoding.next_token import TokenTable
from corollary.theory.sequences.decoding.reading import NextToken


class Given(NamedTuple):
    model: NextToken  # the model
    K: int  # tokens
    N: int  # steps
    width: int  # width of the beam


@dataclass(frozen=True)
class Chain:
    """Log-probabilities after each token, and at the start in the last row."""

    log_p: Tensor

    def __call__(self, prefix: Tensor) -> Tensor:
        """Those after the last token."""
        last = prefix[:, -1] if prefix.shape[1] else torch.full((len(prefix),), len(self.log_p) - 1)
        return self.log_p[last]


def notes(given: Given) -> Given:
    """In the example of the notes, a beam of one finds probability 0.20 instead of 0.28."""
    after = {"A": {"A1": 0.5, "A2": 0.2}, "B": {"B1": 0.8}}
    return Given(TokenTable({"A": 0.4, "B": 0.35, "C": 0.25}, after), 6, 2, 1)


class WideBeam(Claim[Given]):
    K: int = option(5, low=2, high=8)  # tokens
    N: int = option(4, low=1, high=5)  # steps

    relation = equals(ulps=64)  # sums of N logarithms
    supposes = Suppose(
        "the beam holds all prefixes up to the last step",
        lambda g: below(g.K ** (g.N - 1), g.width),
        without=notes,
    )
    symbols = "log of the largest probability", "log of what the beam finds"

    def given(self, rng: Generator) -> Given:
        """A random Markov chain, with tokens that are more or less sure of what follows."""
        logits = normal(rng, self.K + 1, self.K)
        logits[:-1] *= 4 * uniform(rng, self.K, 1)
        logits[-1] *= 0.3  # first tokens are nearly alike
        return Given(Chain(logits.log_softmax(dim=1)), self.K, self.N, self.K ** (self.N - 1))

    def predict(self, given: Given) -> float:
        return decode_exhaustive(given.model, given.N).log_probability

    def measure(self, given: Given) -> float:
        return beam_search(given.model, given.width, given.N)[0].log_probability

    @picture("From greedy to exhaustive", x="width B", y="probability", log="x")
    def marks(self, trial: Trial[Given]) -> Marks:
        model, _, N, width = trial.given
        widths = [2**k for k in range(width.bit_length())] + [width]
        found = [beam_search(model, B, N)[0].probability for B in widths]
        yield Level(exp(trial.predicted), label="most probable sequence", role="predicted")
        yield Curve(found, widths, label="found by the beam")
        yield Level(float(width), label="B = Kᴺ⁻¹", role="other", axis="x")
