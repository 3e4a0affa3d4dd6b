r"""Attention: each position reads an average of values, weighted by how keys answer its query.

.. math:: A=\operatorname{softmax}\Bigl(\frac{QK^\top}{\sqrt{d_k}}+M\Bigr)\text{ row by row},
   \qquad \xi_i=\sum_tA_{it}v_t,

so that every output is a convex combination of the values; :math:`O(TSd)` time and :math:`O(TS)`
memory for T queries and S keys. Without parameters and scale, with :math:`Q=K=V=X`, it is
:math:`Y=\operatorname{softmax}(XX^\top)X`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.1, Equation 10.1 and Listing
    10.2; Perez Jensen (2025), Deep Learning, Section 6.1; Vaswani, Shazeer, Parmar et al. (2017),
    "Attention is all you need", Equation 1.
:erratum: [typo] Perez Jensen (2025) prints xi_i = sum_t softmax_t(omega_i) v_i; the summed vector
    is v_t. With v_i the weights, which sum to 1, drop out and xi_i = v_i. The matrix form of these
    notes is right. The shorthand Y = Q K^T x V of Lucchi (2025) leaves out softmax and scale: its
    outputs leave the hull of the values, see the claim attention_convex_hull.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError, InputTypeError


class Attention(NamedTuple):
    """What is read, and with which weights."""

    output: Float[Tensor, "*b t d_v"]
    weights: Float[Tensor, "*b t s"]


def dot_attention(X: Float[Tensor, "*b t d"]) -> Float[Tensor, "*b t d"]:
    r"""Attention without parameters, :math:`\operatorname{softmax}(XX^\top)X`.

    Example:
        >>> dot_attention(torch.zeros(2, 3)).tolist()
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        >>> X = torch.tensor([[1.0], [0.0]])  # the second row reads both alike
        >>> dot_attention(X)[1].item()
        0.5

    :covers: simple-self-attention
    :test: tests/theory/sequences/test_attention.py
    """
    return scaled_dot_product_attention(X, X, X, scale=1.0).output


def attention_weights(
    Q: Float[Tensor, "*b t d_k"],
    K: Float[Tensor, "*c s e"],
    *,
    mask: Tensor | None = None,
    scale: float | int | None = None,
) -> Float[Tensor, "*e t s"]:
    r"""The weights :math:`\operatorname{softmax}(QK^\top/\sqrt{d_k}+M)`; each row sums to 1.

    Args:
        Q: Queries, one per row.
        K: Keys, one per row.
        mask: Boolean (true: may be read) or numbers to add to the scores, broadcast to (t, s). A
            row that may read nothing gets weights 0, and so do its gradients.
        scale: In place of :math:`1/\sqrt{d_k}`.

    Example:
        >>> attention_weights(torch.zeros(1, 2), torch.randn(4, 2)).tolist()
        [[0.25, 0.25, 0.25, 0.25]]
    """
    check_attention(Q, K, mask)
    scale = Q.shape[-1] ** -0.5 if scale is None else scale
    scores = (Q * scale) @ K.transpose(-2, -1)  # (*b, t, s)
    if mask is None:
        return scores.softmax(dim=-1)
    scores, blocked = _masked(scores, mask)
    # Where all is blocked nothing is subtracted: a softmax of infinities has no derivative.
    dead = blocked.all(dim=-1, keepdim=True)
    return scores.masked_fill(blocked & ~dead, -torch.inf).softmax(dim=-1).masked_fill(dead, 0.0)


def scaled_dot_product_attention(
    Q: Float[Tensor, "*b t d_k"],
    K: Float[Tensor, "*c s e"],
    V: Float[Tensor, "*c r d_v"],
    *,
    mask: Tensor | None = None,
    scale: float | int | None = None,
) -> Attention:
    """What each query reads from the values, and the weights; see :func:`attention_weights`.

    Written in plain operations, it can be differentiated twice, forward and under ``vmap``, which
    torch's fused kernel of the same name cannot.

    Example:
        >>> one = torch.ones(1, 2)
        >>> scaled_dot_product_attention(one, torch.zeros(2, 2), torch.tensor([[2.0], [4.0]]))
        Attention(output=tensor([[3.]]), weights=tensor([[0.5000, 0.5000]]))

    :covers: scaled-dot-product-attention
    :test: tests/theory/sequences/test_attention.py
    """
    if K.shape[-2] != V.shape[-2]:
        raise InputError(
            f"expected one value per key, got {V.shape[-2]} values for {K.shape[-2]} keys"
        )
    A = attention_weights(Q, K, mask=mask, scale=scale)
    return Attention(A @ V, A)


def check_attention(
    Q: Float[Tensor, "*b t d_k"], K: Float[Tensor, "*c s e"], mask: Tensor | None = None
) -> None:
    """Refuse queries, keys and masks that do not fit together."""
    if Q.shape[-1] != K.shape[-1]:
        raise InputError(
            f"queries and keys must have the same length, got {Q.shape[-1]} and {K.shape[-1]}"
        )
    if K.shape[-2] == 0:
        raise InputError("attention needs at least one key, but K has none")
    batch = Q.shape[:-2]
    if batch != K.shape[:-2]:
        try:
            batch = torch.broadcast_shapes(batch, K.shape[:-2])
        except RuntimeError as error:
            raise InputError(
                f"queries of shape {tuple(Q.shape)} and keys of shape {tuple(K.shape)} do not "
                "belong to the same batch"
            ) from error
    if mask is None:
        return
    scores = (*batch, Q.shape[-2], K.shape[-2])
    try:
        torch.broadcast_shapes(mask.shape, scores)
    except RuntimeError as error:
        raise InputError(
            f"a mask of shape {tuple(mask.shape)} does not fit scores of shape {tuple(scores)}"
        ) from error
    if mask.dtype != torch.bool and not mask.is_floating_point():
        raise InputTypeError(
            "expected a boolean mask (True where a position may be read) or a float mask to "
            f"add, got {mask.dtype}"
        )


def _masked(scores: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Scores with a mask of finite numbers added, and where the mask blocks."""
    shape = torch.broadcast_shapes(mask.shape, scores.shape)
    if mask.dtype == torch.bool:
        blocked = ~mask
    else:
        blocked = mask == -torch.inf
        scores = scores + mask.to(scores.dtype).masked_fill(blocked, 0.0)
    return scores.expand(shape), blocked.expand(shape)
