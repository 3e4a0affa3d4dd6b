r"""Question answering with BERT: the best answer span.

With start scores :math:`a` and end scores :math:`b`, the answer to a question is the span

.. math:: \arg\max_{s \le e < s + \ell} \; a_s + b_e

of the passage. A search over the :math:`t\,\ell` allowed pairs finds the best of all of them:
no span ends before it starts, is longer than :math:`\ell` or touches the question. The two maxima
taken apart can do all three.

:source: Perez Jensen (2025), Deep Learning, Section 6.5; Devlin, Chang, Lee, Toutanova (2018),
    BERT: pre-training of deep bidirectional transformers, Section 4.2.
:kind: algorithm
:covers: bert-qa-head
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, normal, option
from corollary.core.picture import HeatMap, Marks, Points, picture
from corollary.theory.sequences.spans import Span, best_span


class Given(NamedTuple):
    """Scores, the passage, what a pair (s, e) is worth beyond its two scores, and a decoder."""

    start: Float[Tensor, "b t"]
    end: Float[Tensor, "b t"]
    passage: Bool[Tensor, "b t"]
    together: Float[Tensor, "t t"]
    decoder: Callable[..., Span]


def long_is_good(given: Given) -> Given:
    """Long spans are worth more: no decoder that reads two scores per token knows it."""
    place = torch.arange(given.start.shape[1], dtype=torch.float64)
    return given._replace(together=place - place[:, None])


def maxima_apart(
    start: Float[Tensor, "b t"],
    end: Float[Tensor, "b t"],
    passage: Bool[Tensor, "b t"],
    *,
    max_length: int,
) -> Span:
    """The best start and the best end, whatever lies between them."""
    (a, s), (b, e) = start.max(dim=1), end.max(dim=1)
    return Span(s, e, a + b)


def found(self: "AnswerSpan", given: Given) -> Span:
    """The spans of the decoder."""
    return given.decoder(*given[:3], max_length=self.longest)


def finds_answers(self: "AnswerSpan", given: Given) -> bool:
    """Each span lies in the passage, does not end before it starts and is short enough."""
    s, e, _ = found(self, given)
    inside = given.passage.gather(1, torch.stack([s, e], dim=1)).all()
    return bool(inside & (s <= e).all() & (e < s + self.longest).all())


class AnswerSpan(Claim[Given]):
    questions: int = 20  # questions with their paragraphs
    length: int = option(24, low=6, high=200)  # tokens of question and passage
    longest: int = 6  # tokens of an answer

    relation = equals()  # one sum of two numbers, the same in both
    supposes = (
        Suppose(
            "the score of a span is the sum of the scores of its start and end",
            lambda g: not bool(g.together.any()),
            long_is_good,
        ),
        Suppose(
            "the decoder gives spans of the passage of at most ℓ tokens",
            finds_answers,
            "If start and end are chosen separately, the span may be reversed or include the "
            "question.",
            decoder=lambda g: maxima_apart,
        ),
    )
    symbols = "max of a_s + b_e", "value of the decoder's span"

    def given(self, rng: Generator) -> Given:
        """Normal scores; the first quarter of the tokens is the question."""
        start, end = normal(rng, 2, self.questions, self.length)
        passage = torch.arange(self.length) >= self.length // 4
        together = start.new_zeros(self.length, self.length)
        return Given(start, end, passage.expand(self.questions, -1), together, best_span)

    def predict(self, given: Given) -> Tensor:
        return self.all_spans(given).flatten(1).max(dim=1).values

    def measure(self, given: Given) -> Kept:
        spans = found(self, given)
        return Kept(spans.score, spans=spans)

    def all_spans(self, given: Given) -> Float[Tensor, "b t t"]:
        """The value of every pair (s, e), minus infinity where it is no answer."""
        start, end, passage, together, _ = given
        place = torch.arange(start.shape[1])
        length = place - place[:, None] + 1
        allowed = (length >= 1) & (length <= self.longest)
        allowed = allowed & passage[:, :, None] & passage[:, None, :]
        values = start[:, :, None] + end[:, None, :] + together
        return values.masked_fill(~allowed, -torch.inf)

    @picture("Score of each span", x="start s", y="end e", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        values = self.all_spans(trial.given)[0]
        shown = values.masked_fill(values == -torch.inf, 0.0).T  # row e goes upwards
        best, apart = trial.kept.spans, maxima_apart(*trial.given[:3], max_length=self.longest)
        edges = (-0.5, len(values) - 0.5)
        yield HeatMap(
            shown.tolist(), edges, edges, label="a_s + b_e; 0 if the span is not an answer"
        )
        yield Points(best.start[:1], best.end[:1], label="decoder's span")
        yield Points(
            apart.start[:1], apart.end[:1], label="start and end chosen separately", role="other"
        )
