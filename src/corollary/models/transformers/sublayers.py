"""The parts of a transformer block: a network at each position, and a residual sum.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.3; Perez Jensen (2025), Deep
    Learning, Section 6.4; Vaswani, Shazeer, Parmar et al. (2017), "Attention is all you need",
    Sections 3.1 and 3.3; Xiong, Yang, He et al. (2020), "On layer normalization in the transformer
    architecture".
"""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.dropout import Dropout
from corollary.models.layer_norm import LayerNorm
from corollary.models.mlp import LinearLayer
from corollary.theory.networks.activations import activation

Phi = str | Callable[[Tensor], Tensor]


class FeedForward(nn.Module):
    """``x -> phi(x W_1 + b_1) W_2 + b_2``, on every position alone.

    Example:
        >>> FeedForward(4, 16, rng=torch.Generator())(torch.zeros(3, 4).double()).shape
        torch.Size([3, 4])
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        phi: Phi = "relu",
        *,
        bias: bool = True,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        self.inner = LinearLayer(d_model, d_ff, bias=bias, rng=rng, dtype=dtype)
        self.outer = LinearLayer(d_ff, d_model, bias=bias, rng=rng, dtype=dtype)
        self.phi = _phi(phi)

    def forward(self, x: Float[Tensor, "*b d"]) -> Float[Tensor, "*b d"]:
        """The same small network at each position."""
        out: Tensor = self.outer(self.phi(self.inner(x)))
        return out


class Sublayer(nn.Module):
    """A residual sum around one part of a block, with its normalisation: ``x + alpha f(x)``."""

    def __init__(
        self, d_model: int, norm: str, alpha: float | int, dropout: float | int, dtype: torch.dtype
    ) -> None:
        super().__init__()
        if norm not in ("post", "pre", "none"):
            raise InputError(f"expected norm to be 'post', 'pre' or 'none', got {norm!r}")
        self.order, self.alpha = norm, alpha
        self.norm = nn.Identity() if norm == "none" else LayerNorm(d_model, dtype=dtype)
        self.dropout = Dropout(dropout) if dropout else nn.Identity()

    def forward(
        self, x: Float[Tensor, "*b d"], f: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "*b d"]:
        """The sum, normalised after it or inside it."""
        part = self.dropout(f(self.norm(x) if self.order == "pre" else x))
        total = x + part if self.alpha == 1 else x + self.alpha * part
        out: Tensor = total if self.order == "pre" else self.norm(total)
        return out

    def extra_repr(self) -> str:
        """Order and weight, for ``print``."""
        return f"norm={self.order!r}, alpha={self.alpha:g}"


def _phi(phi: Phi) -> Callable[[Tensor], Tensor]:
    if phi == "gelu":
        return nn.functional.gelu
    return activation(phi) if isinstance(phi, str) else phi
