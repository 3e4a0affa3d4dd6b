r"""BERT: a transformer encoder that reads both sides.

.. math:: [\mathrm{CLS}]\; s_1\; [\mathrm{SEP}]\; s_2\; [\mathrm{SEP}]
   \;\mapsto\; h_0, \dots, h_{T-1}

Each token enters as the sum of three embeddings (token, segment, position), normalised; then come
:math:`N` encoder blocks without a causal mask. Heads on top are trained together with the encoder:
first to pre-train it, then to fine-tune all of it on a task.

:source: Perez Jensen (2025), Deep Learning, Section 6.5; Devlin, Chang, Lee, Toutanova (2018),
    BERT: pre-training of deep bidirectional transformers, Section 3.
:covers: bert-encoder
:erratum: [wrong] The notes describe pre-training as two stages, masked tokens first and next
    sentences second, and say once that [CLS] is prepended and once that it is appended. BERT
    minimises the sum of both losses in one run, and [CLS] is prepended. The claim
    joint_pretraining trains both ways: after two stages the first task is partly forgotten.
"""

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn

from corollary.errors import InputError, UnknownNameError
from corollary.models.layer_norm import LayerNorm
from corollary.models.transformers.blocks import EncoderBlock
from corollary.models.transformers.heads import (
    MLMHead,
    NSPHead,
    QAHead,
    SequenceClassificationHead,
    TokenClassificationHead,
)
from corollary.models.transformers.positions import LearnedPE
from corollary.theory.seeding import as_generator

Head = MLMHead | QAHead | TokenClassificationHead | SequenceClassificationHead
HEADS: dict[str, Callable[..., Head]] = {
    "mlm": MLMHead,
    "nsp": NSPHead,
    "qa": QAHead,
    "tags": TokenClassificationHead,
    "classes": SequenceClassificationHead,
}


class MiniBERT(nn.Module):
    """The encoder; ``with_head`` puts a task on top.

    Args:
        vocab: Number of tokens.
        layers: Encoder blocks.
        d: Numbers a token.
        heads: Of each attention.
        max_len: Longest sequence.
        segments: Kinds of segments, two for pairs of sentences.
        norm: Layer normalisation after each sum (BERT) or before each part.
        dropout: Rate while training.
        rng: Draws the weights.
        dtype: Of the weights.

    Example:
        >>> bert = MiniBERT(50, 2, 16, heads=2, rng=torch.Generator().manual_seed(0))
        >>> ids = torch.randint(50, (3, 7))
        >>> bert(ids).shape, bert.with_head("tags", tags=6, rng=torch.Generator())(ids).shape
        (torch.Size([3, 7, 16]), torch.Size([3, 7, 6]))
    """

    def __init__(
        self,
        vocab: int,
        layers: int = 2,
        d: int = 32,
        *,
        heads: int = 4,
        max_len: int = 64,
        segments: int = 2,
        norm: str = "post",
        dropout: float | int = 0.0,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if vocab < 1 or layers < 0 or segments < 1:
            raise InputError(
                f"expected vocab, segments >= 1 and layers >= 0, got {vocab=}, {segments=}, "
                f"{layers=}"
            )
        kind: dict[str, Any] = {"rng": rng, "dtype": dtype}
        self.tokens = embedding(vocab, d, **kind)
        self.segments = embedding(segments, d, **kind)
        self.positions = LearnedPE(max_len, d, **kind)
        self.norm = LayerNorm(d, dtype=dtype)
        self.blocks = nn.ModuleList(
            EncoderBlock(d, heads, norm=norm, phi="gelu", dropout=dropout, **kind)
            for _ in range(layers)
        )

    def forward(
        self,
        ids: Int[Tensor, "b t"],
        segments: Int[Tensor, "b t"] | None = None,
        there: Bool[Tensor, "b t"] | None = None,
    ) -> Float[Tensor, "b t d"]:
        """Contextual vectors.

        Args:
            ids: Token ids, ``[CLS]`` first.
            segments: 0 or 1 for each token; all 0 when left out.
            there: True for tokens, False for padding, which is then read by no one.
        """
        return self.contextual(self.embed(ids, segments), there)

    def embed(
        self, ids: Int[Tensor, "b t"], segments: Int[Tensor, "b t"] | None = None
    ) -> Float[Tensor, "b t d"]:
        """The normalised sum of the three embeddings."""
        vocab = self.tokens.num_embeddings
        if ids.numel() and not 0 <= int(ids.min()) <= int(ids.max()) < vocab:
            low, high = int(ids.min()), int(ids.max())
            raise InputError(f"expected token ids from 0 to {vocab - 1}, got {low} to {high}")
        segments = torch.zeros_like(ids) if segments is None else segments
        embedded: Tensor = self.norm(self.positions(self.tokens(ids) + self.segments(segments)))
        return embedded

    def contextual(
        self, x: Float[Tensor, "b t d"], there: Bool[Tensor, "b t"] | None = None
    ) -> Float[Tensor, "b t d"]:
        """The encoder blocks alone, on embedded tokens."""
        mask = None if there is None else there[:, None, :]
        for block in self.blocks:
            x = block(x, mask=mask)
        return x

    def with_head(self, name: str, *, rng: int | Generator = 0, **options: int) -> "BertFor":
        """This encoder (shared, not copied) with a new head called ``name`` in ``HEADS``."""
        rng = as_generator(rng)
        if name not in HEADS:
            raise UnknownNameError(f"there is no head {name!r}; the heads are {', '.join(HEADS)}")
        table = self.tokens.weight
        if name == "mlm":
            return BertFor(self, MLMHead(self.tokens, rng=rng))
        made = HEADS[name](table.shape[1], rng=rng, dtype=table.dtype, **options)
        return BertFor(self, made)


class BertFor(nn.Module):
    """An encoder and a head: takes what the encoder takes, gives what the head gives."""

    def __init__(self, bert: MiniBERT, head: Head) -> None:
        super().__init__()
        self.bert, self.head = bert, head

    def forward(
        self,
        ids: Int[Tensor, "b t"],
        segments: Int[Tensor, "b t"] | None = None,
        there: Bool[Tensor, "b t"] | None = None,
    ) -> Float[Tensor, "..."]:
        """The head's output."""
        out: Tensor = self.head(self.bert(ids, segments, there))
        return out

    def loss(self, output: Float[Tensor, "..."], target: Int[Tensor, "..."]) -> Float[Tensor, ""]:
        """The head's loss."""
        return self.head.loss(output, target)


class BertForPretraining(nn.Module):
    """Both tasks at once: logits of hidden tokens and of the next sentence from one pass.

    Example:
        >>> bert = MiniBERT(50, 1, 16, heads=2, rng=torch.Generator().manual_seed(0))
        >>> both = BertForPretraining(bert, rng=torch.Generator().manual_seed(1))
        >>> words, follows = both(torch.randint(50, (3, 7)))
        >>> words.shape, follows.shape
        (torch.Size([3, 7, 50]), torch.Size([3, 2]))
    """

    def __init__(self, bert: MiniBERT, *, rng: int | Generator = 0) -> None:
        super().__init__()
        rng = as_generator(rng)
        table = bert.tokens.weight
        self.bert, self.mlm = bert, MLMHead(bert.tokens, rng=rng)
        self.nsp = NSPHead(table.shape[1], rng=rng, dtype=table.dtype)

    def forward(
        self,
        ids: Int[Tensor, "b t"],
        segments: Int[Tensor, "b t"] | None = None,
        there: Bool[Tensor, "b t"] | None = None,
    ) -> tuple[Float[Tensor, "b t v"], Float[Tensor, "b 2"]]:
        """Logits of hidden tokens, logits of the next sentence."""
        hidden = self.bert(ids, segments, there)
        return self.mlm(hidden), self.nsp(hidden)

    def loss(
        self,
        output: tuple[Float[Tensor, "b t v"], Float[Tensor, "b 2"]],
        labels: Int[Tensor, "b t"],
        follows: Int[Tensor, " b"],
    ) -> Float[Tensor, ""]:
        """The sum of both losses, which BERT minimises."""
        return self.mlm.loss(output[0], labels) + self.nsp.loss(output[1], follows)


def embedding(n: int, d: int, *, rng: Generator, dtype: torch.dtype) -> nn.Embedding:
    """A table of ``n`` rows, normal with BERT's standard deviation 0.02 (times sqrt(768/d))."""
    weight = torch.randn(n, d, generator=rng, device=rng.device, dtype=dtype)
    return nn.Embedding(n, d, _weight=weight * 0.02 * (768 / d) ** 0.5, device=rng.device)
