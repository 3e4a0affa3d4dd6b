r"""Encoder-decoder transformer: one sequence is read, another is written.

The encoder reads the whole source; the decoder writes the target token by token, with causal
attention to what it has written and cross-attention to the encoder's output,

.. math:: p(y_t\mid y_{<t},x)=\operatorname{softmax}\bigl(\operatorname{Dec}(y_{<t},
   \operatorname{Enc}(x))_tW\bigr),

until it writes the end. In training all t are computed at once: the target is shifted right by a
start token, and the causal mask hides what is to be predicted.

:source: Perez Jensen (2025), Deep Learning, Section 6.4 and Figure 6.3; Lucchi (2025), Foundations
    of Deep Learning, Section 10.4.3; Vaswani, Shazeer, Parmar et al. (2017), "Attention is all you
    need".
"""

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.layer_norm import LayerNorm
from corollary.models.mlp import LinearLayer
from corollary.models.transformers.blocks import DecoderBlock, EncoderBlock
from corollary.models.transformers.embedding import TokenEmbedding
from corollary.models.transformers.reading import Continuation
from corollary.theory.seeding import as_generator
from corollary.theory.sequences.decoding.beam import beam_search
from corollary.theory.sequences.decoding.greedy import decode_greedy
from corollary.theory.sequences.decoding.next_token import Decoded
from corollary.theory.sequences.masks import padding_mask


class Transformer(nn.Module):
    """N encoder blocks, N decoder blocks, and a softmax over the target's tokens.

    The start token is one more row of the target's table, number ``tgt_vocab``; it is never
    written. Train with :func:`corollary.train.fit` on ``(source, target, target)`` and a
    cross-entropy of the logits ``model(source, target)``.

    Args:
        src_vocab: Tokens of the source.
        tgt_vocab: Tokens of the target, the end among them.
        d_model: Numbers a position.
        heads: Of each attention.
        layers: Blocks of the encoder, and of the decoder.
        d_ff: Width of the small networks; ``4 d_model`` when left out.
        positions: ``sinusoidal``, ``learned`` or ``none``.
        max_len: The longest sequence, for learned positions.
        norm: As in :class:`EncoderBlock`; with ``pre`` each half ends in a normalisation.
        phi: Activation of the small networks.
        dropout: Rate while training.
        fused: Use torch's fused attention kernel.
        rng: Draws the weights.
        dtype: Of the weights.

    Example:
        >>> net = Transformer(10, 10, d_model=8, rng=torch.Generator().manual_seed(0))
        >>> source, target = torch.tensor([[3, 1, 4]]), torch.tensor([[4, 1, 3, 9]])
        >>> net(source, target).shape  # logits of each target token, given the earlier ones
        torch.Size([1, 4, 10])
        >>> len(net.generate(source, 5)[0].tokens)
        5

    :covers: transformer-translation
    """

    def __init__(
        self,
        src_vocab: int,
        tgt_vocab: int,
        *,
        d_model: int = 32,
        heads: int = 2,
        layers: int = 1,
        d_ff: int | None = None,
        positions: str = "sinusoidal",
        max_len: int = 512,
        norm: str = "pre",
        phi: str | Callable[[Tensor], Tensor] = "relu",
        dropout: float | int = 0.0,
        fused: bool = False,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        self.start = tgt_vocab
        table: dict[str, Any] = {"max_len": max_len, "rng": rng, "dtype": dtype}
        self.embed_source = TokenEmbedding(src_vocab, d_model, positions, **table)
        self.embed_target = TokenEmbedding(tgt_vocab + 1, d_model, positions, **table)
        kind: dict[str, Any] = {"norm": norm, "phi": phi, "dropout": dropout, "fused": fused}
        kind |= {"rng": rng, "dtype": dtype}
        self.encoder = nn.ModuleList(
            EncoderBlock(d_model, heads, d_ff, **kind) for _ in range(layers)
        )
        self.decoder = nn.ModuleList(
            DecoderBlock(d_model, heads, d_ff, **kind) for _ in range(layers)
        )
        ends = [LayerNorm(d_model, dtype=dtype) if norm == "pre" else nn.Identity() for _ in "ab"]
        self.encoder_norm, self.decoder_norm = ends
        self.head = LinearLayer(d_model, tgt_vocab, bias=True, rng=rng, dtype=dtype)

    def encode(
        self, source: Int[Tensor, "b s"], *, mask: Tensor | None = None
    ) -> Float[Tensor, "b s d"]:
        """The memory that the decoder reads."""
        x = self.embed_source(source)
        for block in self.encoder:
            x = block(x, mask=mask)
        memory: Tensor = self.encoder_norm(x)
        return memory

    def decode(
        self,
        written: Int[Tensor, "b t"],
        memory: Float[Tensor, "b s d"],
        *,
        memory_mask: Tensor | None = None,
    ) -> Float[Tensor, "b u K"]:
        """Logits of each of the written tokens and of the next one: t + 1 of them."""
        x = self.embed_target(shifted_right(written, self.start))
        for block in self.decoder:
            x = block(x, memory, memory_mask=memory_mask)
        return self._logits(x)

    def _logits(self, x: Tensor) -> Tensor:
        logits: Tensor = self.head(self.decoder_norm(x))
        return logits

    def forward(
        self,
        source: Int[Tensor, "b s"],
        target: Int[Tensor, "b t"],
        source_lengths: Int[Tensor, " b"] | None = None,
    ) -> Float[Tensor, "b t K"]:
        """Logits of each target token given the source and the target before it (teacher forcing).

        ``source_lengths`` says how many tokens of each source are no padding.
        """
        if len(source) != len(target):
            raise InputError(
                f"expected one target per source, got {len(target)} targets for "
                f"{len(source)} sources"
            )
        mask = _padding(source, source_lengths)
        memory = self.encode(source, mask=mask)
        logits = self.decode(target[:, :-1], memory, memory_mask=mask)
        return logits[:, : target.shape[1]]  # of an empty target there are none

    def next_token(
        self, source: Int[Tensor, "b s"], source_lengths: Int[Tensor, " b"] | None = None
    ) -> Continuation:
        """The model that decoders ask: prefixes to log-probabilities, for these sources.

        The source is encoded once, and its keys and values are computed once. A single source
        serves any number of prefixes, as in a beam; otherwise prefix i belongs to source i.
        """
        mask = _padding(source, source_lengths)
        with torch.no_grad():
            memory = self.encode(source, mask=mask)
            memories = [
                block.cross.keys_values(memory)
                for block in self.decoder
                if isinstance(block, DecoderBlock) and block.cross is not None
            ]
        return Continuation(
            self.embed_target,
            self.decoder,
            self._logits,
            start=self.start,
            memories=memories,
            memory_mask=mask,
        )

    def generate(
        self,
        source: Int[Tensor, "b s"],
        max_len: int,
        *,
        eos: int | None = None,
        width: int = 1,
        alpha: float | int = 0.0,
        source_lengths: Int[Tensor, " b"] | None = None,
    ) -> list[Decoded]:
        """The best target found for each source: greedy for ``width=1``, else by beam search."""
        mode, lengths = self.training, source_lengths
        self.eval()
        try:
            if width == 1:
                start = source.new_empty(len(source), 0)
                return decode_greedy(
                    self.next_token(source, lengths), max_len, eos=eos, start=start
                )
            models = [
                self.next_token(source[i : i + 1], None if lengths is None else lengths[i : i + 1])
                for i in range(len(source))
            ]
            empty = source.new_empty(0)
            return [
                beam_search(model, width, max_len, eos=eos, alpha=alpha, start=empty)[0]
                for model in models
            ]
        finally:
            self.train(mode)


def shifted_right(tokens: Int[Tensor, "b t"], start: int) -> Int[Tensor, "b u"]:
    """The tokens behind a start token.

    Example:
        >>> shifted_right(torch.tensor([[5, 6]]), 9).tolist()
        [[9, 5, 6]]
    """
    return torch.cat([tokens.new_full((len(tokens), 1), start), tokens], dim=1)


def _padding(source: Tensor, lengths: Tensor | None) -> Tensor | None:
    return None if lengths is None else padding_mask(lengths, source.shape[1])
