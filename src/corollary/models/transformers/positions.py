r"""Positions that are added to embeddings: sinusoidal, or learned.

Attention reads a sequence as a set; :math:`X+P` tells the positions apart. The sinusoidal P is a
formula for every length, the learned one a table of :math:`T_{\max}` rows and nothing beyond.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.3; Perez Jensen (2025), Deep
    Learning, Section 6.3; Vaswani, Shazeer, Parmar et al. (2017), "Attention is all you need".
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.theory.sequences.positions import frequencies, shift_matrix, sinusoidal_encoding


class SinusoidalPE(nn.Module):
    """``x -> x + PE``, with no parameters and for any length.

    Example:
        >>> SinusoidalPE(2)(torch.zeros(1, 2)).tolist()
        [[0.0, 1.0]]

    :covers: sinusoidal-positional-encoding
    :test: tests/models/transformers/test_positions.py
    :erratum: [wrong] See :mod:`corollary.theory.sequences.positions`: the frequencies C^{k/d} of
        Perez Jensen (2025) grow, and break the rotation.
    """

    def __init__(self, d: int, base: float | int = 1e4) -> None:
        super().__init__()
        frequencies(d, base)  # refuses an odd d now, not at the first sequence
        self.d, self.base = d, float(base)

    def forward(self, x: Float[Tensor, "*b T d"], first: int = 0) -> Float[Tensor, "*b T d"]:
        """The sequence with its positions, the first of which is number ``first``."""
        _check_width(x, self.d)
        times = torch.arange(first, first + x.shape[-2], dtype=torch.float64)
        return x + sinusoidal_encoding(times, self.d, self.base).to(x)

    def table(self, T: int) -> Float[Tensor, "T d"]:
        """The encodings of the first T positions, in float64: the picture of the notes."""
        return sinusoidal_encoding(T, self.d, self.base)

    def shift(self, s: float | int) -> Float[Tensor, "d d"]:
        r"""The rotation with :math:`\mathrm{PE}(t+s)=R_s\mathrm{PE}(t)`."""
        return shift_matrix(s, self.d, self.base)

    def extra_repr(self) -> str:
        """Sizes, for ``print``."""
        return f"d={self.d}, base={self.base:g}"


class LearnedPE(nn.Module):
    """``x -> x + P``, with a trainable table of ``max_len`` rows.

    Args:
        max_len: The longest sequence.
        d: Numbers a row.
        std: Of the normal numbers at the start.
        rng: Draws them.
        dtype: Of the table.

    Example:
        >>> positions = LearnedPE(4, 2, rng=torch.Generator().manual_seed(0))
        >>> positions(torch.zeros(3, 2).double()).sum().backward()
        >>> positions.P.grad[:, 0].tolist()  # the fourth position was not used
        [1.0, 1.0, 1.0, 0.0]

    :covers: learned-positional-embedding
    """

    def __init__(
        self,
        max_len: int,
        d: int,
        *,
        std: float | int = 0.02,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        if max_len < 1 or d < 1:
            raise InputError(f"expected max_len >= 1 and d >= 1, got max_len={max_len}, d={d}")
        normal = torch.randn(max_len, d, generator=rng, device=rng.device, dtype=dtype)
        self.P = nn.Parameter(std * normal)

    def forward(self, x: Float[Tensor, "*b T d"], first: int = 0) -> Float[Tensor, "*b T d"]:
        """The sequence with its positions, the first of which is number ``first``."""
        _check_width(x, self.P.shape[1])
        end = first + x.shape[-2]
        if end > len(self.P):
            raise InputError(
                f"there are positions for {len(self.P)} tokens, but the sequence has {end}; "
                "create the layer with a larger max_len, or use SinusoidalPE"
            )
        return x + self.P[first:end]

    def extra_repr(self) -> str:
        """Sizes, for ``print``."""
        return f"max_len={len(self.P)}, d={self.P.shape[1]}"


def _check_width(x: Tensor, d: int) -> None:
    if x.ndim < 2 or x.shape[-1] != d:
        raise InputError(f"expected rows of {d} numbers, got {tuple(x.shape)}")
