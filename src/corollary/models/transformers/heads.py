r"""Heads on a transformer encoder: hidden words, next sentence, answers, tags, classes.

A head reads the contextual vectors :math:`h_0, \dots, h_{T-1}` of a sequence, :math:`h_0` being
that of ``[CLS]``, and is small; the encoder below it is fine-tuned with it.

:source: Perez Jensen (2025), Deep Learning, Section 6.5; Devlin, Chang, Lee, Toutanova (2018),
    BERT: pre-training of deep bidirectional transformers, Sections 3.1 and 4.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.layer_norm import LayerNorm
from corollary.models.mlp import LinearLayer
from corollary.theory.sequences.spans import Span, best_span

IGNORED = -100  # the label of a position that has no part in the loss


class Pooler(nn.Module):
    """``tanh(W h_0 + b)``: the vector of ``[CLS]`` as that of the whole sequence."""

    def __init__(self, d: int, *, rng: Generator, dtype: torch.dtype = torch.float64) -> None:
        super().__init__()
        self.dense = LinearLayer(d, d, bias=True, rng=rng, dtype=dtype)

    def forward(self, hidden: Float[Tensor, "b t d"]) -> Float[Tensor, "b d"]:
        """Only the first position is read."""
        return torch.tanh(self.dense(hidden[:, 0]))


class SequenceClassificationHead(nn.Module):
    """Classes of a whole sequence from its ``[CLS]`` vector: sentiment, for one.

    Example:
        >>> head = SequenceClassificationHead(8, rng=torch.Generator().manual_seed(0))
        >>> head(torch.randn(5, 3, 8).double()).shape
        torch.Size([5, 2])

    :covers: bert-sentiment-head
    """

    def __init__(
        self, d: int, classes: int = 2, *, rng: Generator, dtype: torch.dtype = torch.float64
    ) -> None:
        super().__init__()
        if classes < 2:
            raise InputError(f"expected at least two classes, got {classes}")
        self.pool = Pooler(d, rng=rng, dtype=dtype)
        self.out = LinearLayer(d, classes, bias=True, rng=rng, dtype=dtype)

    def forward(self, hidden: Float[Tensor, "b t d"]) -> Float[Tensor, "b k"]:
        """Logits."""
        logits: Tensor = self.out(self.pool(hidden))
        return logits

    def loss(self, logits: Float[Tensor, "b k"], labels: Int[Tensor, " b"]) -> Float[Tensor, ""]:
        """Mean cross entropy."""
        return nn.functional.cross_entropy(logits, labels)


class NSPHead(SequenceClassificationHead):
    """Whether the second sentence follows the first: two classes, 1 for "it follows".

    :covers: next-sentence-prediction
    """

    def __init__(self, d: int, *, rng: Generator, dtype: torch.dtype = torch.float64) -> None:
        super().__init__(d, 2, rng=rng, dtype=dtype)


class TokenClassificationHead(nn.Module):
    """A tag for every token: parts of speech, names.

    Example:
        >>> head = TokenClassificationHead(8, 6, rng=torch.Generator().manual_seed(0))
        >>> head(torch.randn(5, 3, 8).double()).shape
        torch.Size([5, 3, 6])

    :covers: bert-pos-head
    """

    def __init__(
        self, d: int, tags: int, *, rng: Generator, dtype: torch.dtype = torch.float64
    ) -> None:
        super().__init__()
        if tags < 2:
            raise InputError(f"expected at least two tags, got {tags}")
        self.out = LinearLayer(d, tags, bias=True, rng=rng, dtype=dtype)

    def forward(self, hidden: Float[Tensor, "b t d"]) -> Float[Tensor, "b t k"]:
        """Logits at every position."""
        logits: Tensor = self.out(hidden)
        return logits

    def loss(self, logits: Float[Tensor, "b t k"], labels: Int[Tensor, "b t"]) -> Float[Tensor, ""]:
        """Cross entropy averaged over the tokens whose label is not -100 (padding)."""
        return _token_loss(logits, labels)


class MLMHead(nn.Module):
    """Which token was there: a small layer, then the products with all token embeddings.

    Args:
        embedding: The encoder's table, which is shared, not copied.
        rng: Draws the small layer.

    :covers: masked-language-modeling
    """

    def __init__(self, embedding: nn.Embedding, *, rng: Generator) -> None:
        super().__init__()
        vocab, d = embedding.weight.shape
        dtype = embedding.weight.dtype
        self.dense = LinearLayer(d, d, bias=True, rng=rng, dtype=dtype)
        self.norm = LayerNorm(d, dtype=dtype)
        self.embedding = embedding
        self.b = nn.Parameter(embedding.weight.new_zeros(vocab))

    def forward(self, hidden: Float[Tensor, "b t d"]) -> Float[Tensor, "b t v"]:
        """Logits over the vocabulary at every position."""
        h: Tensor = self.norm(nn.functional.gelu(self.dense(hidden)))
        return h @ self.embedding.weight.T + self.b

    def loss(self, logits: Float[Tensor, "b t v"], labels: Int[Tensor, "b t"]) -> Float[Tensor, ""]:
        """Cross entropy averaged over the selected positions."""
        return _token_loss(logits, labels)


class QAHead(nn.Module):
    r"""Where the answer starts and ends: ``w_s . h_t`` and ``w_e . h_t`` at every position.

    Example:
        >>> head = QAHead(8, rng=torch.Generator().manual_seed(0))
        >>> scores = head(torch.randn(5, 9, 8).double())
        >>> passage = torch.arange(9).expand(5, 9) > 3
        >>> span = head.decode(scores, passage, max_length=2)
        >>> bool((span.start > 3).all()), bool((span.end - span.start < 2).all())
        (True, True)

    :covers: bert-qa-head
    :test: tests/models/transformers/test_heads.py
    """

    def __init__(self, d: int, *, rng: Generator, dtype: torch.dtype = torch.float64) -> None:
        super().__init__()
        self.out = LinearLayer(d, 2, bias=False, rng=rng, dtype=dtype)

    def forward(self, hidden: Float[Tensor, "b t d"]) -> Float[Tensor, "b t 2"]:
        """Start and end logits."""
        logits: Tensor = self.out(hidden)
        return logits

    def decode(
        self,
        scores: Float[Tensor, "b t 2"],
        passage: Bool[Tensor, "b t"],
        *,
        max_length: int | None = None,
    ) -> Span:
        """The best span within the passage; see :func:`best_span`."""
        return best_span(scores[..., 0], scores[..., 1], passage, max_length=max_length)

    def loss(self, scores: Float[Tensor, "b t 2"], spans: Int[Tensor, "b 2"]) -> Float[Tensor, ""]:
        """Mean of the cross entropies of start and end over all positions."""
        first = nn.functional.cross_entropy(scores[..., 0], spans[:, 0])
        return (first + nn.functional.cross_entropy(scores[..., 1], spans[:, 1])) / 2


def _token_loss(logits: Tensor, labels: Tensor) -> Tensor:
    if logits.shape[:-1] != labels.shape:
        raise InputError(
            f"one label per token is needed, got logits {tuple(logits.shape)}, labels "
            f"{tuple(labels.shape)}"
        )
    if not bool((labels != IGNORED).any()):
        raise InputError(
            f"all labels are {IGNORED}, so every token is ignored and there is no loss"
        )
    return nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
