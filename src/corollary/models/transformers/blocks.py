r"""Encoder and decoder blocks.

The encoder block mixes positions, then works on each of them alone:

.. math:: Z=X+\alpha_1\operatorname{MHA}(X),\qquad X'=Z+\alpha_2\,\sigma(ZW_{F_1})W_{F_2},

with a layer normalisation after each sum (post-norm, the original), before each part (pre-norm),
or none, the form of the notes. The decoder block looks at earlier positions only, and reads from
the encoder's output between the two parts:

.. math:: x\leftarrow\operatorname{LN}(x+\operatorname{MHA}_{\text{causal}}(x)),\quad
   x\leftarrow\operatorname{LN}(x+\operatorname{MHA}(x,\text{memory})),\quad
   x\leftarrow\operatorname{LN}(x+\operatorname{MLP}(x)).

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.3, Listing 10.3 and Figures
    10.20 to 10.22; Perez Jensen (2025), Deep Learning, Section 6.4; Vaswani, Shazeer, Parmar et al.
    (2017), "Attention is all you need", Section 3.1.
:erratum: [code bug] Listing 10.3, called a simple decoder block, has neither the causal mask nor
    the cross-attention that the text describes: it is an encoder block with one head, and changing
    the last token changes its first output. The claim decoder_causality has it as counterexample.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.attention.memory import KeyValues
from corollary.models.attention.multi_head import MultiHeadAttention, copy_linear
from corollary.models.layer_norm import LayerNorm
from corollary.models.transformers.sublayers import FeedForward, Phi, Sublayer
from corollary.theory.sequences.masks import causal_mask, combine

TorchLayer = nn.TransformerEncoderLayer | nn.TransformerDecoderLayer


class EncoderBlock(nn.Module):
    """Self-attention, then a small network at each position, each with its residual sum.

    Args:
        d_model: Numbers a position.
        heads: Of the attention.
        d_ff: Width of the small network; ``4 d_model`` when left out.
        norm: Layer normalisation after each sum, before each part, or none.
        alpha1: Weight of the attention in its sum.
        alpha2: Weight of the small network in its sum.
        phi: Activation of the small network: a name, "gelu" among them, or a function.
        bias: Whether projections have one.
        dropout: Rate at which entries of each part are dropped while training.
        fused: Use torch's fused attention kernel; see :class:`MultiHeadAttention`.
        rng: Draws the weights.
        dtype: Of the weights.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> block = EncoderBlock(8, 2, norm="none", alpha1=0.0, alpha2=0.0, rng=rng)
        >>> x = torch.randn(5, 3, 8).double()
        >>> torch.equal(block(x), x)
        True

    :covers: transformer-encoder-block
    """

    def __init__(
        self,
        d_model: int,
        heads: int,
        d_ff: int | None = None,
        *,
        norm: str = "post",
        alpha1: float | int = 1.0,
        alpha2: float | int = 1.0,
        phi: Phi = "relu",
        bias: bool = True,
        dropout: float | int = 0.0,
        fused: bool = False,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        kind: dict[str, Any] = {"bias": bias, "rng": rng, "dtype": dtype}
        self.attention = MultiHeadAttention(d_model, heads, fused=fused, **kind)
        self.mlp = FeedForward(d_model, d_ff or 4 * d_model, phi, **kind)
        self.sum1 = Sublayer(d_model, norm, alpha1, dropout, dtype)
        self.sum2 = Sublayer(d_model, norm, alpha2, dropout, dtype)

    def forward(
        self, x: Float[Tensor, "*b t d"], *, mask: Tensor | None = None
    ) -> Float[Tensor, "*b t d"]:
        """The sequence after the block; ``mask`` as in :class:`MultiHeadAttention`."""
        x = self.sum1(x, lambda x: self.attention(x, mask=mask))
        out: Tensor = self.sum2(x, self.mlp)
        return out

    @classmethod
    def from_torch(cls, layer: nn.TransformerEncoderLayer) -> "EncoderBlock":
        """The same function in evaluation, with a copy of the layer's weights.

        Dropout of torch's layer inside its attention and its small network is left out.

        Example:
            >>> theirs = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
            >>> x = torch.randn(5, 3, 8)
            >>> torch.allclose(EncoderBlock.from_torch(theirs)(x), theirs(x), atol=1e-5)
            True
        """
        ours = EncoderBlock(**_sizes(layer))
        ours.attention = MultiHeadAttention.from_torch(layer.self_attn)
        _copy_rest(ours, layer, [(ours.sum1, layer.norm1), (ours.sum2, layer.norm2)])
        return ours.to(layer.linear1.weight.device).train(layer.training)


class DecoderBlock(nn.Module):
    """Causal self-attention, attention to a memory, and a small network at each position.

    Args:
        d_model: Numbers a position.
        heads: Of each attention.
        d_ff: Width of the small network; ``4 d_model`` when left out.
        cross_attention: False leaves the memory out: the block of a decoder-only model (GPT).
        causal: False lets every position read every other; without memory it is then an encoder
            block, as Listing 10.3 of the notes is.
        norm: Layer normalisation after each sum, before each part, or none.
        phi: Activation of the small network: a name, "gelu" among them, or a function.
        bias: Whether projections have one.
        dropout: Rate at which entries of each part are dropped while training.
        fused: Use torch's fused attention kernel; see :class:`MultiHeadAttention`.
        rng: Draws the weights.
        dtype: Of the weights.

    Example:
        >>> block = DecoderBlock(8, 2, rng=torch.Generator().manual_seed(0))
        >>> x, memory = torch.randn(5, 3, 8).double(), torch.randn(5, 7, 8).double()
        >>> torch.allclose(block(x, memory)[:, :2], block(x[:, :2], memory))
        True

    :covers: transformer-decoder-block
    """

    def __init__(
        self,
        d_model: int,
        heads: int,
        d_ff: int | None = None,
        *,
        cross_attention: bool = True,
        causal: bool = True,
        norm: str = "post",
        phi: Phi = "relu",
        bias: bool = True,
        dropout: float | int = 0.0,
        fused: bool = False,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        kind: dict[str, Any] = {"bias": bias, "rng": rng, "dtype": dtype}
        self.attention = MultiHeadAttention(d_model, heads, fused=fused, **kind)
        self.causal = causal
        self.cross: MultiHeadAttention | None = None
        if cross_attention:
            self.cross = MultiHeadAttention(d_model, heads, fused=fused, **kind)
            self.sum_cross = Sublayer(d_model, norm, 1.0, dropout, dtype)
        self.mlp = FeedForward(d_model, d_ff or 4 * d_model, phi, **kind)
        self.sum1 = Sublayer(d_model, norm, 1.0, dropout, dtype)
        self.sum2 = Sublayer(d_model, norm, 1.0, dropout, dtype)

    def forward(
        self,
        x: Float[Tensor, "*b t d"],
        memory: Float[Tensor, "*b s d"] | None = None,
        *,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Float[Tensor, "*b t d"]:
        """The sequence after the block.

        Args:
            x: What has been written so far.
            memory: What to read from; needed exactly if the block has cross-attention.
            mask: A boolean mask that holds on top of the causal one, for padding.
            memory_mask: Which positions of the memory may be read.
        """
        if (memory is None) != (self.cross is None):
            needed = "no memory" if self.cross is None else "a memory"
            raise InputError(f"a decoder block with these options needs {needed} as input")
        if self.causal:
            mask = combine(causal_mask(x.shape[-2], device=x.device), mask)
        x = self.sum1(x, lambda x: self.attention(x, mask=mask))
        if self.cross is not None:
            x = self.sum_cross(x, lambda x: self.cross(x, memory, mask=memory_mask))
        out: Tensor = self.sum2(x, self.mlp)
        return out

    def step(
        self,
        x: Float[Tensor, "*b s d"],
        past: KeyValues,
        memory: tuple[Tensor, Tensor] | None = None,
        *,
        memory_mask: Tensor | None = None,
    ) -> Float[Tensor, "*b s d"]:
        """The next positions after the block, given what it remembers of the earlier ones.

        Equal to the last s rows of :meth:`forward` on the whole sequence, up to rounding.

        Args:
            x: The positions that are appended.
            past: Keys and values of the earlier positions; those of x are added.
            memory: ``cross.keys_values`` of the memory, exactly if there is cross-attention.
            memory_mask: Which positions of the memory may be read.
        """
        if not self.causal:
            raise InputError(
                "without a causal mask, earlier positions depend on later ones, so earlier "
                "results cannot be reused; call the block on the whole sequence"
            )
        if (memory is None) != (self.cross is None):
            raise InputError(
                "keys and values of a memory can be used only with "
                "cross-attention, and are needed for it"
            )
        s, t = x.shape[-2], len(past)
        mask = None if s == 1 else causal_mask(s, past=t, device=x.device)

        def own(x: Tensor) -> Tensor:
            K, V = past.append(*self.attention.keys_values(x))
            # One query reads everything, without derivatives: what the fused kernel is for.
            read = self.attention.look(x, K, V, mask=mask, fused=s == 1)
            out: Tensor = self.attention.W_o(read)
            return out

        x = self.sum1(x, own)
        cross = self.cross
        if cross is not None and memory is not None:
            K, V = memory
            x = self.sum_cross(x, lambda x: cross.W_o(cross.look(x, K, V, mask=memory_mask)))
        out: Tensor = self.sum2(x, self.mlp)
        return out

    @classmethod
    def from_torch(cls, layer: nn.TransformerDecoderLayer) -> "DecoderBlock":
        """The same function in evaluation and under a causal mask, with a copy of the weights.

        Example:
            >>> theirs = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True).eval()
            >>> x, memory = torch.randn(5, 1, 8), torch.randn(5, 7, 8)
            >>> ours = DecoderBlock.from_torch(theirs)
            >>> torch.allclose(ours(x, memory), theirs(x, memory), atol=1e-5)
            True
        """
        ours = DecoderBlock(**_sizes(layer))
        ours.attention = MultiHeadAttention.from_torch(layer.self_attn)
        ours.cross = MultiHeadAttention.from_torch(layer.multihead_attn)
        norms = [(ours.sum1, layer.norm1), (ours.sum_cross, layer.norm2), (ours.sum2, layer.norm3)]
        _copy_rest(ours, layer, norms)
        return ours.to(layer.linear1.weight.device).train(layer.training)


def _sizes(layer: TorchLayer) -> dict[str, Any]:
    """The options of a block from those of torch's layer."""
    return {
        "d_model": layer.self_attn.embed_dim,
        "heads": layer.self_attn.num_heads,
        "d_ff": layer.linear1.out_features,
        "norm": "pre" if layer.norm_first else "post",
        "phi": layer.activation,
        "bias": layer.linear1.bias is not None,
        "dropout": layer.dropout1.p,
        "rng": torch.Generator(),
        "dtype": layer.linear1.weight.dtype,
    }


def _copy_rest(
    ours: EncoderBlock | DecoderBlock,
    layer: TorchLayer,
    norms: list[tuple[Sublayer, nn.LayerNorm]],
) -> None:
    """Copy the small network and the normalisations."""
    copy_linear(ours.mlp.inner, layer.linear1.weight, layer.linear1.bias)
    copy_linear(ours.mlp.outer, layer.linear2.weight, layer.linear2.bias)
    for mine, norm in norms:
        assert isinstance(mine.norm, LayerNorm)  # torch's layers always normalise
        mine.norm.delta = norm.eps
        with torch.no_grad():
            mine.norm.gamma.copy_(norm.weight)
            if norm.bias is not None:
                mine.norm.beta.copy_(norm.bias)
