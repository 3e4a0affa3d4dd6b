r"""A decoder block for one more position, with its weights laid out for few rows.

.. math:: (q,k,v)=W_{QKV}\operatorname{LN}(x)+b,\qquad
   x\leftarrow x+W_O\operatorname{Attention}(q,[K;k],[V;v]),\qquad
   x\leftarrow x+W_2\,\sigma(W_1\operatorname{LN}(x)) .

A token costs one pass over the weights, and for a few rows reading them takes longer than
multiplying: 10.9 million of them are 43 MB, 3.3 ms where a core reads 13 GB/s. So the three
projections are one product, and after a few tokens the weights are copied once: transposed for one
row (0.8 times the time of ``linear``), into the blocks that oneDNN multiplies for more (0.55 times
for 4 to 16 rows; for one row its 26 microseconds a call take the gain back, and MKL's packed
product gains nothing). The copy costs about eight tokens; it is made after as many, so that no
generation takes more than twice the time of the better choice. float64 and other devices keep
torch's own product for several rows. Beyond 4 rows keys and values weigh as much as the weights:
16 sequences of 128 tokens have 38 MB of them, which are read once per token as well.

:source: Shazeer (2019), "Fast transformer decoding: one write-head is all you need", Section 2.4.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.models.attention.memory import KeyValues
from corollary.models.layer_norm import LayerNorm
from corollary.models.transformers.blocks import DecoderBlock
from corollary.models.transformers.sublayers import Sublayer

PATIENCE = 8  # tokens before weights are copied


class OnePosition:
    """``block.step`` for a single position without cross-attention; weights as they are now."""

    def __init__(self, block: DecoderBlock) -> None:
        a, mlp = block.attention, block.mlp
        self.sum1, self.sum2, self.phi = _Sum.of(block.sum1), _Sum.of(block.sum2), mlp.phi
        self.heads, self.sizes = a.heads, (a.heads * a.d_k, a.heads * a.d_k, a.heads * a.d_v)
        parts = (a.W_q, a.W_k, a.W_v)
        bias: list[Tensor] = [layer.b for layer in parts if layer.b is not None]
        self.qkv = _Product(torch.cat([p.W for p in parts]), torch.cat(bias) if bias else None)
        self.out = _Product(a.W_o.W, a.W_o.b)
        self.inner, self.outer = (_Product(m.W, m.b) for m in (mlp.inner, mlp.outer))

    def pack(self, rows: int) -> None:
        """Lay the weights out for this many rows."""
        for product in (self.qkv, self.out, self.inner, self.outer):
            product.pack(rows)

    def __call__(self, x: Float[Tensor, "b d"], past: KeyValues) -> Float[Tensor, "b d"]:
        """The position after the block; its key and value are remembered."""
        shape = (len(x), self.heads, 1, -1)
        q, k, v = torch.split_with_sizes(self.qkv(self.sum1.before(x)), self.sizes, dim=1)
        K, V = past.append(k.view(shape), v.view(shape))
        read = nn.functional.scaled_dot_product_attention(q.view(shape), K, V)
        x = self.sum1.after(x, self.out(read.view(len(x), -1)))
        inner = self.phi(self.inner(self.sum2.before(x)))
        return self.sum2.after(x, self.outer(inner))


class _Sum(NamedTuple):
    """A residual sum and its normalisation: :class:`Sublayer` without the calls around it."""

    order: str
    alpha: float | int
    norm: Callable[[Tensor], Tensor]

    @classmethod
    def of(cls, part: Sublayer) -> "_Sum":
        """The same sum, with the weights as they are now."""
        norm = part.norm
        if not isinstance(norm, LayerNorm):
            return cls("none", part.alpha, norm)
        gamma, beta, shape = norm.gamma.detach(), norm.beta.detach(), (norm.features,)
        delta = norm.delta
        return cls(part.order, part.alpha, lambda x: torch.layer_norm(x, shape, gamma, beta, delta))

    def before(self, x: Tensor) -> Tensor:
        """What the part reads."""
        return self.norm(x) if self.order == "pre" else x

    def after(self, x: Tensor, y: Tensor) -> Tensor:
        """The sum, given what the part wrote."""
        total = torch.add(x, y, alpha=self.alpha)
        return self.norm(total) if self.order == "post" else total


class _Product:
    """``x -> W x + b`` for few rows x.

    Example:
        >>> W, x = torch.ones(3, 2), torch.tensor([[1.0, 2.0]])
        >>> product = _Product(W, None)
        >>> product.pack(1)
        >>> product(x).tolist()
        [[3.0, 3.0, 3.0]]
    """

    def __init__(self, W: Float[Tensor, "m n"], b: Float[Tensor, " m"] | None) -> None:
        self.W, self.b = W.detach(), None if b is None else b.detach()
        self.layout = "rows"

    def pack(self, rows: int) -> None:
        """Copy W, once: transposed for one row, else into oneDNN's blocks where it has them."""
        if self.layout != "rows":
            return
        if rows == 1:
            self.W, self.layout = self.W.T.contiguous(), "columns"
        elif _has_blocks(self.W):
            blocks = torch.ops.mkldnn._reorder_linear_weight(self.W.contiguous(), 16)
            self.W, self.layout = blocks, "blocks"

    def __call__(self, x: Float[Tensor, "b n"]) -> Float[Tensor, "b m"]:
        """The values of all units at each row."""
        if self.layout == "blocks":
            out: Tensor = torch.ops.mkldnn._linear_pointwise(x, self.W, self.b, "none", [], "")
            return out
        if self.layout == "rows":
            return nn.functional.linear(x, self.W, self.b)
        return torch.mm(x, self.W) if self.b is None else torch.addmm(self.b, x, self.W)


def _has_blocks(W: Tensor) -> bool:
    """Whether oneDNN has its own layout for these weights: single precision on a processor."""
    usual = W.dtype == torch.float32 and W.device.type == "cpu"
    return usual and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")


def applies(block: nn.Module) -> bool:
    """Whether a block is one of these: causal, reading itself alone, nothing dropped or hooked."""
    if not isinstance(block, DecoderBlock) or not block.causal or block.cross is not None:
        return False
    dropped = (s.dropout for s in (block.sum1, block.sum2))
    if any(d.training and not isinstance(d, nn.Identity) for d in dropped):
        return False
    return not any(m._forward_hooks or m._forward_pre_hooks for m in block.modules())
