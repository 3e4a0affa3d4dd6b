"""Token numbers to rows of numbers, with their positions."""

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.errors import InputError, InputTypeError
from corollary.models.transformers.positions import LearnedPE, SinusoidalPE


class TokenEmbedding(nn.Module):
    r"""A row of a table for each token, plus its position.

    Rows are normal with variance 1 at the start, of the size of sinusoidal positions (1/2).

    Args:
        vocabulary: How many tokens there are.
        d: Numbers a token.
        positions: ``sinusoidal``, ``learned`` or ``none``.
        max_len: The longest sequence, for learned positions.
        rng: Draws the table.
        dtype: Of the table.

    Example:
        >>> embed = TokenEmbedding(10, 4, rng=torch.Generator().manual_seed(0))
        >>> embed(torch.tensor([[3, 1, 4]])).shape
        torch.Size([1, 3, 4])
    """

    def __init__(
        self,
        vocabulary: int,
        d: int,
        positions: str = "sinusoidal",
        *,
        max_len: int = 512,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        if vocabulary < 1 or d < 1:
            raise InputError(
                f"expected vocabulary >= 1 and d >= 1, got vocabulary={vocabulary}, d={d}"
            )
        normal = torch.randn(vocabulary, d, generator=rng, device=rng.device, dtype=dtype)
        self.E = nn.Parameter(normal)
        self.positions: nn.Module
        if positions == "sinusoidal":
            self.positions = SinusoidalPE(d)
        elif positions == "learned":
            self.positions = LearnedPE(max_len, d, std=1.0, rng=rng, dtype=dtype)
        elif positions == "none":
            self.positions = nn.Identity()
        else:
            raise InputError(
                f"expected positions to be 'sinusoidal', 'learned' or 'none', got {positions!r}"
            )

    def forward(self, tokens: Int[Tensor, "*b t"], first: int = 0) -> Float[Tensor, "*b t d"]:
        """Embeddings with positions, of tokens after ``first`` others."""
        if tokens.is_floating_point() or tokens.is_complex() or tokens.dtype == torch.bool:
            raise InputTypeError(f"expected integer tokens (int64 or int32), got {tokens.dtype}")
        if tokens.ndim == 0 or tokens.shape[-1] == 0:
            raise InputError(f"a sequence needs at least one token, got {tuple(tokens.shape)}")
        if tokens.numel() and not 0 <= int(tokens.min()) <= int(tokens.max()) < len(self.E):
            raise InputError(
                f"expected token ids from 0 to {len(self.E) - 1}, got {int(tokens.min())} to "
                f"{int(tokens.max())}"
            )
        rows = nn.functional.embedding(tokens, self.E)
        return rows if isinstance(self.positions, nn.Identity) else self.positions(rows, first)
