r"""The best answer span.

With start scores :math:`a` and end scores :math:`b`, the answer to a question is the span

.. math:: \arg\max_{s \le e < s + \ell} \; a_s + b_e

of the passage. A search over the :math:`t\,\ell` allowed pairs finds the best of all of them:
no span ends before it starts, is longer than :math:`\ell` or touches the question. The two maxima
taken apart can do all three.

:source: Perez Jensen (2025), Deep Learning, Section 6.5; Devlin, Chang, Lee, Toutanova (2018),
    BERT: pre-training of deep bidirectional transformers, Section 4.2.
:kind: algorithm
:cost: instant
:covers: bert-qa-head
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, HeatMap, Hypothesis, Points, equals, option
from corollary.theory.sequences.spans import best_span


class Given(NamedTuple):
    """Scores, the passage, and what a pair (s, e) is worth beyond the sum of its two scores."""

    start: Float[Tensor, "b t"]
    end: Float[Tensor, "b t"]
    passage: Bool[Tensor, "b t"]
    together: Float[Tensor, "t t"]


@dataclass(frozen=True)
class AnswerSpan(Claim[Given]):
    """The decoder's value against the best of all spans."""

    rows: int = 20  # questions
    length: int = option(24, low=6, high=200)  # tokens of question and passage
    longest: int = 6  # tokens of an answer
    relation = equals()  # one sum of two numbers, the same in both

    def given(self, rng: Generator) -> Given:
        """Normal scores; the first quarter of the tokens is the question."""
        size = (2, self.rows, self.length)
        start, end = torch.randn(size, generator=rng, device=rng.device, dtype=torch.float64)
        passage = torch.arange(self.length, device=rng.device) >= self.length // 4
        together = start.new_zeros(self.length, self.length)
        return Given(start, end, passage.expand(self.rows, -1), together)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Start and end do not know of each other."""
        alone = not bool(given.together.any())
        yield Hypothesis("a span is worth the sum of its start and its end", alone)

    def predict(self, given: Given) -> list[float]:
        """The best of all spans."""
        return _all_spans(given, self.longest).flatten(1).max(dim=1).values.tolist()

    def measure(self, given: Given) -> list[float]:
        """What the decoder finds."""
        return best_span(*given[:3], max_length=self.longest).score.tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Long spans are worth more: no decoder that reads two scores a token knows it."""
        given = self.given(rng)
        place = torch.arange(self.length, dtype=torch.float64, device=rng.device)
        return given._replace(together=place - place[:, None])

    def figure(self, given: Given) -> Figure:
        """All spans of one question."""
        values = _all_spans(given, self.longest)[0]
        found = best_span(*given[:3], max_length=self.longest)
        a, b = int(given.start[0].argmax()), int(given.end[0].argmax())
        edges = (-0.5, len(values) - 0.5)
        shown = values.masked_fill(values == -torch.inf, 0.0).T.tolist()  # row e goes upwards
        return Figure(
            "Start and end are searched together",
            x="start s",
            y="end e",
            equal=True,
            marks=(
                HeatMap(shown, edges, edges, label="a_s + b_e, 0 where it is no answer"),
                Points(
                    [int(found.start[0])],
                    [int(found.end[0])],
                    label="decoder's span",
                    role="predicted",
                ),
                Points([a], [b], label="the two maxima apart", role="other"),
            ),
        )


def _all_spans(given: Given, longest: int) -> Float[Tensor, "b t t"]:
    """The value of every pair (s, e), minus infinity where it is no answer."""
    start, end, passage, together = given
    place = torch.arange(start.shape[1], device=start.device)
    length = place - place[:, None] + 1
    allowed = (length >= 1) & (length <= longest) & passage[:, :, None] & passage[:, None, :]
    values = start[:, :, None] + end[:, None, :] + together
    return values.masked_fill(~allowed, -torch.inf)
