r"""Greedy, beam and exhaustive search: the probability that is found grows.

The probability of the sequence found by greedy decoding, by beam search of width B and by
exhaustive search grows,

.. math:: p_{\text{greedy}}\le p_{\text{beam}}\le p_{\max},

if the greedy prefix stays in the beam up to the last step, as it always does over two steps. In the
notes' example they are 0.20, 0.28 and 0.28. Over three steps or more the first inequality can
fail: continuations of another prefix push the greedy one out, and then come to nothing.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.4. The counterexample is ours.
:kind: bound
:uses: wide_beam
:covers: greedy-decoding, beam-search, exhaustive-sequence-search
"""

from typing import NamedTuple

from torch import Generator

from corollary.core import Claim, Suppose, Trial, at_most, normal, option, uniform
from corollary.core.picture import Curve, Figure, Level
from corollary.theory.sequences.decoding.beam import beam_search
from corollary.theory.sequences.decoding.exhaustive import decode_exhaustive
from corollary.theory.sequences.decoding.greedy import decode_greedy
from corollary.theory.sequences.decoding.next_token import TokenTable
from corollary.theory.sequences.decoding.reading import NextToken


class Given(NamedTuple):
    """A model, the number of tokens to write and the width of the beam."""

    model: NextToken
    N: int
    width: int


def prefix_stays(given: Given) -> tuple[bool, str]:
    """Whether the beam at each step has the greedy prefix."""
    (greedy,) = decode_greedy(given.model, given.N)
    for n in range(1, given.N):
        beam = beam_search(given.model, given.width, n)
        if all(found.tokens != greedy.tokens[:n] for found in beam):
            return False, f"lost at step {n}"
    return True, ""


def crumbling(given: Given) -> Given:
    """Both continuations of B replace A1 in a beam of two, and later become improbable."""
    crumbs = {f"c{k}": 0.1 for k in range(10)}
    after = {"A": {"A1": 0.4, "A2": 0.3, "A3": 0.3}, "B": {"B1": 0.5, "B2": 0.5}}
    after |= {"A1": {"A11": 1.0}, "B1": crumbs, "B2": crumbs, "C": crumbs}
    return Given(TokenTable({"A": 0.4, "B": 0.35, "C": 0.25}, after), 3, 2)


class GreedyBeamExhaustive(Claim[Given]):
    K: int = option(8, low=2, high=20)  # tokens
    N: int = option(2, low=1, high=5)  # length of the sequences
    width: int = option(3, high=50)  # width of the beam

    relation = at_most(ulps=64)  # sums of N logarithms, exponentiated
    supposes = Suppose(
        "the greedy prefix stays in the beam up to the last step", prefix_stays, without=crumbling
    )
    symbols = "the better search", "the worse search"
    rows = "greedy ≤ beam", "beam ≤ exhaustive"

    def given(self, rng: Generator) -> Given:
        """A random Markov chain: first tokens nearly alike, some of them surer of what follows."""
        logits = normal(rng, self.K + 1, self.K)
        logits[1:] *= 5 * uniform(rng, self.K, 1)
        logits[0] *= 0.3
        names = [f"t{k}" for k in range(self.K)]
        rows = logits.softmax(dim=1).tolist()
        first, *after = (dict(zip(names, row, strict=True)) for row in rows)
        return Given(TokenTable(first, dict(zip(names, after, strict=True))), self.N, self.width)

    def predict(self, given: Given) -> list[float]:
        best = decode_exhaustive(given.model, given.N).probability
        return [beam_search(given.model, given.width, given.N)[0].probability, best]

    def measure(self, given: Given) -> list[float]:
        beam = beam_search(given.model, given.width, given.N)[0].probability
        return [decode_greedy(given.model, given.N)[0].probability, beam]

    def tight(self) -> Given:
        """The example of the notes with a surer A1: all three searches find 0.28."""
        after = {"A": {"A1": 0.70, "A2": 0.20}, "B": {"B1": 0.80}}
        return Given(TokenTable({"A": 0.40, "B": 0.35, "C": 0.25}, after), 2, 2)

    def figure(self, trial: Trial[Given]) -> tuple[Figure, ...]:
        """What beams of all widths find, here and where the greedy prefix is lost."""
        odd = (widths(t, "Over three steps a beam can lose to greedy") for t in trial.without)
        return widths(trial, "The wider the beam, the better, over two steps"), *odd


def widths(trial: Trial[Given], title: str) -> Figure:
    """What beams of many widths find."""
    model, N, _ = trial.given
    B = list(range(1, 9))
    found = [beam_search(model, width, N)[0].probability for width in B]
    marks = (
        Level(trial.predicted[1], label="most probable sequence", role="predicted"),
        Curve(found, B, label="found by the beam"),
        Level(trial.measured[0], label="found by greedy", role="other"),
    )
    return Figure(title, x="width B", y="probability", marks=marks)
