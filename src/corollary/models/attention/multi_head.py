r"""Multi-head attention, of a sequence to itself or to another one.

.. math:: \operatorname{MHA}(A,B)=\operatorname{Concat}(H_1,\dots,H_h)W_O,\qquad
   H_j=\operatorname{softmax}\Bigl(\frac{AW_Q^j(BW_K^j)^\top}{\sqrt{d_k}}\Bigr)BW_V^j .

The heads share one projection of width :math:`h\,d_k`, which is cut into pieces. With
:math:`B=A` it is self-attention. Each row of A reads from B as from a set: permuting A permutes
the output, permuting B changes nothing.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 10.4.2 and 10.4.3; Perez Jensen
    (2025), Deep Learning, Sections 6.1 and 6.2; Vaswani, Shazeer, Parmar et al. (2017), "Attention
    is all you need", Section 3.2.2.
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.mlp import LinearLayer
from corollary.theory.sequences.attention import attention_weights, check_attention


class MultiHeadAttention(nn.Module):
    """``heads`` attentions side by side; ``attention(query, context)`` reads from the context.

    Args:
        d_model: Numbers a row of the query, and of the output.
        heads: How many attentions; they must divide d_model unless d_k and d_v are given.
        d_k: Width of a head's queries and keys; ``d_model / heads`` when left out.
        d_v: Width of a head's values; ``d_model / heads`` when left out.
        d_context: Numbers a row of the context, if not d_model.
        bias: Whether the four projections have one.
        fused: Use torch's fused kernel where weights are not asked for: faster for long
            sequences, but without second derivatives, forward mode and ``vmap``.
        rng: Draws the weights, normal with variance 1 over the width they read.
        dtype: Of the weights.

    Example:
        >>> attention = MultiHeadAttention(8, 2, rng=torch.Generator().manual_seed(0))
        >>> x, memory = torch.randn(5, 3, 8).double(), torch.randn(5, 7, 8).double()
        >>> attention(x).shape, attention(x, memory).shape, attention.weights(x, memory).shape
        (torch.Size([5, 3, 8]), torch.Size([5, 3, 8]), torch.Size([5, 2, 3, 7]))

    :covers: multi-head-attention, cross-attention
    :test: tests/models/attention/test_multi_head.py
    """

    def __init__(
        self,
        d_model: int,
        heads: int,
        *,
        d_k: int | None = None,
        d_v: int | None = None,
        d_context: int | None = None,
        bias: bool = True,
        fused: bool = False,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        if heads < 1 or d_model < 1:
            raise InputError(f"expected d_model, heads >= 1, got d_model={d_model}, heads={heads}")
        if d_model % heads and None in (d_k, d_v):
            raise InputError(
                f"d_model={d_model} cannot be divided among {heads} heads; choose a number of "
                f"heads that divides {d_model}, or pass d_k and d_v"
            )
        self.d_model, self.heads, self.fused = d_model, heads, fused
        self.d_k, self.d_v = d_k or d_model // heads, d_v or d_model // heads
        self.d_context = d_context or d_model

        def layer(n: int, m: int) -> LinearLayer:
            return LinearLayer(n, m, bias=bias, rng=rng, dtype=dtype)

        self.W_q = layer(d_model, heads * self.d_k)
        self.W_k = layer(self.d_context, heads * self.d_k)
        self.W_v = layer(self.d_context, heads * self.d_v)
        self.W_o = layer(heads * self.d_v, d_model)

    def forward(
        self,
        query: Float[Tensor, "*b t d"],
        context: Float[Tensor, "*b s e"] | None = None,
        *,
        mask: Tensor | None = None,
    ) -> Float[Tensor, "*b t d"]:
        """What each row of ``query`` reads from ``context``, by default from the query itself.

        ``mask`` is boolean (true: may be read) or numbers to add to the scores; it is broadcast to
        (batch, t, s) and the same for all heads.
        """
        out: Tensor = self.W_o(self.read(query, context, mask=mask))
        return out

    def read(
        self,
        query: Float[Tensor, "*b t d"],
        context: Float[Tensor, "*b s e"] | None = None,
        *,
        mask: Tensor | None = None,
    ) -> Float[Tensor, "*b t hd_v"]:
        """The heads' outputs side by side, before the last projection."""
        context = query if context is None else context
        self._check(query, context)
        return self.look(query, *self.keys_values(context), mask=mask)

    def keys_values(
        self, context: Float[Tensor, "*b s e"]
    ) -> tuple[Float[Tensor, "*b h s d_k"], Float[Tensor, "*b h s d_v"]]:
        """What the heads compare with and what they read, computed from the context alone."""
        return self._split(self.W_k(context)), self._split(self.W_v(context))

    def look(
        self,
        query: Float[Tensor, "*b t d"],
        K: Float[Tensor, "*c h s d_k"],
        V: Float[Tensor, "*c h s d_v"],
        *,
        mask: Tensor | None = None,
        fused: bool = False,
    ) -> Float[Tensor, "*b t hd_v"]:
        """:meth:`read`, given the keys and values; ``fused`` asks for the kernel this once."""
        Q, mask = self._split(self.W_q(query)), _for_heads(mask)
        if self.fused or fused:
            check_attention(Q, K, mask)
            heads = nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=mask)
        else:
            heads = attention_weights(Q, K, mask=mask) @ V
        return heads.transpose(-3, -2).flatten(start_dim=-2)  # (*b, t, h d_v)

    def weights(
        self,
        query: Float[Tensor, "*b t d"],
        context: Float[Tensor, "*b s e"] | None = None,
        *,
        mask: Tensor | None = None,
    ) -> Float[Tensor, "*b h t s"]:
        """The weights of every head; rows sum to 1, or to 0 where nothing may be read."""
        context = query if context is None else context
        self._check(query, context)
        Q, K = self._split(self.W_q(query)), self._split(self.W_k(context))
        return attention_weights(Q, K, mask=_for_heads(mask))

    @classmethod
    def from_torch(cls, layer: nn.MultiheadAttention) -> "MultiHeadAttention":
        """The same function, with a copy of the layer's weights.

        Sequences come as (batch, time, features) whatever ``layer.batch_first`` says, masks are
        true where torch's are false, and dropout of the weights is left out.

        Example:
            >>> theirs = nn.MultiheadAttention(8, 2, batch_first=True)
            >>> x = torch.randn(5, 3, 8)
            >>> ours = MultiHeadAttention.from_torch(theirs)
            >>> torch.allclose(ours(x), theirs(x, x, x)[0], atol=1e-5)
            True
        """
        if layer.bias_k is not None or layer.add_zero_attn or layer.kdim != layer.vdim:
            raise InputError(
                "from_torch supports layers without add_bias_kv and add_zero_attn, with keys "
                "and values from the same sequence"
            )
        like = layer.out_proj.weight
        ours = MultiHeadAttention(
            layer.embed_dim,
            layer.num_heads,
            d_context=layer.kdim,
            bias=layer.in_proj_bias is not None,
            rng=torch.Generator(),
            dtype=like.dtype,
        ).to(like.device)
        separate = (layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight)
        W = separate if layer.in_proj_weight is None else layer.in_proj_weight.chunk(3)
        b = (None,) * 3 if layer.in_proj_bias is None else layer.in_proj_bias.chunk(3)
        projections = [*zip((ours.W_q, ours.W_k, ours.W_v), W, b, strict=True)]
        for mine, weight, bias in [*projections, (ours.W_o, like, layer.out_proj.bias)]:
            copy_linear(mine, weight, bias)
        return ours.train(layer.training)

    def extra_repr(self) -> str:
        """Sizes, for ``print``."""
        return f"d_model={self.d_model}, heads={self.heads}, d_k={self.d_k}, d_v={self.d_v}"

    def _split(self, x: Tensor) -> Tensor:
        return torch.unflatten(x, -1, (self.heads, -1)).transpose(-3, -2)  # (*b, h, t, width)

    def _check(self, query: Tensor, context: Tensor) -> None:
        for x, width, name in (
            (query, self.d_model, "query"),
            (context, self.d_context, "context"),
        ):
            if x.ndim < 2 or x.shape[-1] != width:
                raise InputError(
                    f"the {name} needs rows of {width} numbers, got shape {tuple(x.shape)}"
                )


def copy_linear(mine: LinearLayer, weight: Tensor, bias: Tensor | None) -> None:
    """Put the weights of a torch layer into one of these."""
    with torch.no_grad():
        mine.W.copy_(weight)
        if bias is not None and mine.b is not None:
            mine.b.copy_(bias)


def _for_heads(mask: Tensor | None) -> Tensor | None:
    """One mask for all heads: a batch of masks gets an axis for them."""
    return mask if mask is None or mask.ndim < 3 else mask.unsqueeze(-3)
