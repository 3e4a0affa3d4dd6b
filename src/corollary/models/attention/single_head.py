r"""One head of attention: with queries, keys and values of their own, or one shared projection.

.. math:: Y=\operatorname{softmax}\Bigl(\frac{QK^\top}{\sqrt{d_k}}\Bigr)V\,W_O,\quad
   (Q,K,V)=X(W_Q,W_K,W_V);\qquad
   Y=\operatorname{softmax}(XUU^\top X^\top)XU .

With one U the scores are symmetric and positive semidefinite: position i answers j as strongly as
j answers i, before the softmax.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.1 and Listing 10.2; Perez Jensen
    (2025), Deep Learning, Section 6.1.
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.mlp import LinearLayer
from corollary.theory.sequences.attention import (
    Attention,
    attention_weights,
    scaled_dot_product_attention,
)


class SingleHeadSelfAttention(nn.Module):
    """The layer of Listing 10.2: four projections around scaled dot-product attention.

    ``layer.attend(x)`` gives output and weights, ``layer(x)`` the output.

    Example:
        >>> layer = SingleHeadSelfAttention(4, rng=torch.Generator().manual_seed(0))
        >>> out, weights = layer.attend(torch.randn(2, 3, 4).double())
        >>> out.shape, weights.shape
        (torch.Size([2, 3, 4]), torch.Size([2, 3, 3]))

    :covers: scaled-dot-product-attention
    :test: tests/models/attention/test_single_head.py
    """

    def __init__(
        self, d: int, *, bias: bool = True, rng: Generator, dtype: torch.dtype = torch.float64
    ) -> None:
        super().__init__()
        layers = [LinearLayer(d, d, bias=bias, rng=rng, dtype=dtype) for _ in range(4)]
        self.W_q, self.W_k, self.W_v, self.W_o = layers

    def attend(self, x: Float[Tensor, "*b t d"], *, mask: Tensor | None = None) -> Attention:
        """What each position reads, after the last projection, and the weights."""
        Q, K, V = self.W_q(x), self.W_k(x), self.W_v(x)
        read, weights = scaled_dot_product_attention(Q, K, V, mask=mask)
        return Attention(self.W_o(read), weights)

    def forward(
        self, x: Float[Tensor, "*b t d"], *, mask: Tensor | None = None
    ) -> Float[Tensor, "*b t d"]:
        """What each position reads."""
        return self.attend(x, mask=mask).output

    def weights(
        self, x: Float[Tensor, "*b t d"], *, mask: Tensor | None = None
    ) -> Float[Tensor, "*b t t"]:
        """The weights alone."""
        return self.attend(x, mask=mask).weights


class SharedAttention(nn.Module):
    """Attention with one matrix U for queries, keys and values, and no scale.

    Example:
        >>> layer = SharedAttention(torch.eye(2))
        >>> S = layer.scores(torch.tensor([[1.0, 0.0], [1.0, 1.0]]))
        >>> S.tolist()
        [[1.0, 1.0], [1.0, 2.0]]

    :covers: shared-projection-attention
    """

    def __init__(self, U: Float[Tensor, "d k"]) -> None:
        super().__init__()
        if U.numel() == 0:
            raise InputError(f"U needs rows and columns, got shape {tuple(U.shape)}")
        self.U = nn.Parameter(U.detach().clone())

    def scores(self, x: Float[Tensor, "*b t d"]) -> Float[Tensor, "*b t t"]:
        r"""The matrix :math:`XUU^\top X^\top`: symmetric, positive semidefinite."""
        projected = self._project(x)
        return projected @ projected.transpose(-2, -1)

    def weights(self, x: Float[Tensor, "*b t d"]) -> Float[Tensor, "*b t t"]:
        """The softmax of the scores, row by row; no longer symmetric."""
        projected = self._project(x)
        return attention_weights(projected, projected, scale=1.0)

    def forward(self, x: Float[Tensor, "*b t d"]) -> Float[Tensor, "*b t k"]:
        """What each position reads."""
        return self.weights(x) @ self._project(x)

    def _project(self, x: Tensor) -> Tensor:
        if x.ndim < 2 or x.shape[-1] != len(self.U):
            raise InputError(f"expected rows of {len(self.U)} numbers, got shape {tuple(x.shape)}")
        return x @ self.U
