r"""The class token alone is read.

A classifier on :math:`h_0`, the contextual vector of ``[CLS]``, has a loss whose direct gradient
is zero at every other position:

.. math:: \frac{\partial\ell}{\partial h_t} = 0 \quad (t \ge 1), \qquad
    \frac{\partial\ell}{\partial h_0} \ne 0 .

What the other tokens learn, they learn through the attention of the layers below, by which
:math:`h_0` reads them. The share of position :math:`t` in the squared gradient is 1 for
``[CLS]`` and 0 elsewhere.

:source: Perez Jensen (2025), Deep Learning, Section 6.5; Devlin, Chang, Lee, Toutanova (2018),
    BERT: pre-training of deep bidirectional transformers, Section 4.1.
:kind: identity
:cost: instant
:covers: bert-sentiment-head
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.transformers.bert import MiniBERT
from corollary.models.transformers.heads import SequenceClassificationHead

VOCAB, WIDTH = 40, 16


class Given(NamedTuple):
    """An encoder, a classifier on its vectors, and labelled sentences."""

    bert: MiniBERT
    head: nn.Module
    ids: Int[Tensor, "b t"]
    labels: Int[Tensor, " b"]


class MeanHead(SequenceClassificationHead):
    """The same classifier on the mean of all vectors."""

    def forward(self, hidden: Float[Tensor, "b t d"]) -> Float[Tensor, "b k"]:
        """Logits."""
        return super().forward(hidden.mean(dim=1, keepdim=True))


@dataclass(frozen=True)
class ClassTokenGradient(Claim[Given]):
    """Shares of the positions in the squared gradient."""

    rows: int = 8  # sentences
    length: int = option(10, low=2, high=64)  # tokens of a sentence, [CLS] included
    relation = equals(ulps=8, scale=1.0)  # shares of a whole

    def given(self, rng: Generator) -> Given:
        """A small BERT with its classifier."""
        return self._with(SequenceClassificationHead, rng)

    def _with(self, head: type[nn.Module], rng: Generator) -> Given:
        bert = MiniBERT(VOCAB, 2, WIDTH, heads=4, rng=rng)
        size = (self.rows, self.length)
        ids = torch.randint(5, VOCAB, size, generator=rng, device=rng.device)
        labels = torch.randint(2, (self.rows,), generator=rng, device=rng.device)
        return Given(bert, head(WIDTH, rng=rng), ids, labels)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Changing the other vectors changes nothing."""
        with torch.no_grad():
            hidden = given.bert(given.ids)
            moved = hidden.clone()
            moved[:, 1:] += 1.0
            same = torch.equal(given.head(moved), given.head(hidden))
        yield Hypothesis("the classifier reads the vector of [CLS] alone", same)

    def predict(self, given: Given) -> list[float]:
        """All of it at [CLS]."""
        return [1.0] + [0.0] * (self.length - 1)

    def measure(self, given: Given) -> list[float]:
        """Shares at the encoder's output, by differentiation."""
        return _shares(given, direct=True)

    def counterexample(self, rng: Generator) -> Given:
        """A classifier on the mean of all vectors."""
        return self._with(MeanHead, rng)

    def figure(self, given: Given) -> Figure:
        """Directly, and through the encoder."""
        place = list(range(self.length))
        return Figure(
            "Only [CLS] is read, yet all tokens are heard",
            x="position t",
            y="share of the squared gradient",
            marks=(
                Curve(self.predict(given), place, label="all at [CLS]", role="predicted"),
                Points(place, _shares(given, direct=True), label="of the vectors h_t"),
                Points(
                    place,
                    _shares(given, direct=False),
                    label="of the embeddings, through the encoder",
                    role="other",
                ),
            ),
        )


def _shares(given: Given, *, direct: bool) -> list[float]:
    """Shares of the positions in the squared gradient of the loss."""
    embedded = given.bert.embed(given.ids).detach().requires_grad_()
    hidden = given.bert.contextual(embedded)
    loss = given.head.loss(given.head(hidden), given.labels)
    (gradient,) = torch.autograd.grad(loss, hidden if direct else embedded)
    squares = gradient.pow(2).sum(dim=(0, 2))
    return (squares / squares.sum()).tolist()
