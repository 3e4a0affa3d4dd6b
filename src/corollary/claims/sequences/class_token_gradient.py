r"""The loss of a classifier on [CLS] has its direct gradient at the class token only.

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
:covers: bert-sentiment-head
"""

from copy import deepcopy
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.core import Claim, Kept, Suppose, Trial, equals, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.models.transformers.bert import MiniBERT
from corollary.models.transformers.heads import SequenceClassificationHead

VOCAB, WIDTH = 40, 16


class Given(NamedTuple):
    """An encoder, a classifier on its vectors, and labelled sentences."""

    bert: MiniBERT
    head: SequenceClassificationHead
    ids: Int[Tensor, "b t"]
    labels: Int[Tensor, " b"]


class MeanHead(SequenceClassificationHead):
    """The same classifier on the mean of all vectors."""

    def forward(self, hidden: Float[Tensor, "b t d"]) -> Float[Tensor, "b k"]:
        """Logits."""
        return super().forward(hidden.mean(dim=1, keepdim=True))


def reads_the_first(given: Given) -> bool:
    """Whether moving all other vectors changes no logit."""
    with torch.no_grad():
        hidden = given.bert(given.ids)
        moved = torch.cat([hidden[:, :1], hidden[:, 1:] + 1], dim=1)
        return torch.equal(given.head(moved), given.head(hidden))


def constant(given: Given) -> Given:
    """A constant classifier has no gradient anywhere."""
    head = deepcopy(given.head)
    nn.init.zeros_(head.get_parameter("out.W"))
    return given._replace(head=head)


class ClassTokenGradient(Claim[Given]):
    sentences: int = 8  # sentences of a batch
    length: int = option(10, low=2, high=64)  # tokens of a sentence, [CLS] included

    relation = equals(ulps=8, scale=1.0)  # shares of a whole
    supposes = (
        Suppose(
            "the classifier reads the vector of [CLS] alone",
            reads_the_first,
            "A classifier on the mean of all vectors uses all vectors equally.",
            head=lambda g: MeanHead(WIDTH, rng=Generator().manual_seed(0)),
        ),
        Suppose(
            "the weight matrix of the classifier is not zero",
            lambda g: g.head.out.W.norm(),
            constant,
        ),
    )
    symbols = "1 at [CLS], else 0", "share of h_t"
    rows = "t = {place}"

    def given(self, rng: Generator) -> Given:
        bert = MiniBERT(VOCAB, 2, WIDTH, heads=4, rng=rng)
        ids = torch.randint(5, VOCAB, (self.sentences, self.length), generator=rng)
        labels = torch.randint(2, (self.sentences,), generator=rng)
        return Given(bert, SequenceClassificationHead(WIDTH, rng=rng), ids, labels)

    def predict(self, given: Given) -> list[float]:
        return [1.0] + [0.0] * (self.length - 1)

    def measure(self, given: Given) -> Kept:
        embedded = given.bert.embed(given.ids).detach().requires_grad_()
        hidden = given.bert.contextual(embedded)
        loss = given.head.loss(given.head(hidden), given.labels)
        direct, through = (
            g.square().sum(dim=(0, 2)) for g in torch.autograd.grad(loss, (hidden, embedded))
        )
        return Kept(direct / direct.sum(), through=through / through.sum())

    @property
    def place(self) -> list[int]:
        """Positions, [CLS] first."""
        return list(range(self.length))

    @picture(
        "The classifier reads only [CLS], but all tokens influence it",
        x="position t",
        y="share of the squared gradient",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        yield Curve(trial.predicted, label=self.symbols[0], role="predicted")
        yield Points(self.place, trial.measured, label="of the vectors h_t")
        yield Points(
            self.place,
            trial.kept.through,
            label="of the embeddings, through the encoder",
            role="other",
        )
