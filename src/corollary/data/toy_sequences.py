r"""Small tasks on sequences: copying, reversing, parity, and a cue to be kept over a lag.

:source: Perez Jensen (2025), Deep Learning, Chapter 5 and Section 5.3; Hochreiter and Schmidhuber
    (1997), "Long short-term memory", for the lag.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.seeding import as_generator


class Tokens(NamedTuple):
    """Pairs of sequences of tokens."""

    x: Int[Tensor, "B T"]
    y: Int[Tensor, "B T"]


class Labelled(NamedTuple):
    """Sequences of numbers with a label of 0 or 1, at the end or at every place."""

    x: Float[Tensor, "B T n"]
    y: Int[Tensor, "B *T"]


def copy_pairs(B: int, T: int, K: int, *, rng: int | Generator = 0) -> Tokens:
    """Uniform sequences over K tokens, and themselves.

    Example:
        >>> x, y = copy_pairs(2, 3, 5, rng=torch.Generator())
        >>> torch.equal(x, y)
        True
    """
    rng = as_generator(rng)
    _check(B, T, K)
    x = torch.randint(K, (B, T), generator=rng, device=rng.device)
    return Tokens(x, x.clone())


def reversal_pairs(B: int, T: int, K: int, *, rng: int | Generator = 0) -> Tokens:
    """Uniform sequences over K tokens, and the same from the end.

    Example:
        >>> x, y = reversal_pairs(1, 3, 5, rng=torch.Generator())
        >>> x[0].tolist() == y[0].tolist()[::-1]
        True
    """
    rng = as_generator(rng)
    x, _ = copy_pairs(B, T, K, rng=rng)
    return Tokens(x, x.flip(1))


def parity_bits(
    B: int, T: int, *, rng: int | Generator = 0, dtype: torch.dtype = torch.float64
) -> Labelled:
    """Fair bits as one number each, and at each place whether the ones so far are odd in number.

    Example:
        >>> x, y = parity_bits(1, 9, rng=torch.Generator().manual_seed(0))
        >>> y[0, -1].item() == int(x.sum()) % 2
        True
    """
    rng = as_generator(rng)
    _check(B, T, 2)
    bits = torch.randint(2, (B, T), generator=rng, device=rng.device)
    return Labelled(bits[..., None].to(dtype), bits.cumsum(1) % 2)


def lagged_cue(
    B: int,
    T: int,
    *,
    noise: float | int = 1.0,
    rng: int | Generator = 0,
    dtype: torch.dtype = torch.float64,
) -> Labelled:
    """A cue of -1 or +1, then T - 1 numbers of noise; the label at the end is the cue's sign.

    The cue has a channel of its own, which is 0 afterwards.

    Example:
        >>> x, y = lagged_cue(4, 20, rng=torch.Generator().manual_seed(0))
        >>> x.shape, torch.equal(x[:, 0, 0] > 0, y == 1), x[:, 1:, 0].abs().max().item()
        (torch.Size([4, 20, 2]), True, 0.0)
    """
    rng = as_generator(rng)
    _check(B, T, 2)
    y = torch.randint(2, (B,), generator=rng, device=rng.device)
    x = torch.zeros(B, T, 2, device=rng.device, dtype=dtype)
    x[:, 0, 0] = 2.0 * y - 1
    x[:, 1:, 1] = noise * torch.randn(B, T - 1, generator=rng, device=rng.device, dtype=dtype)
    return Labelled(x, y)


def _check(B: int, T: int, K: int) -> None:
    if B < 1 or T < 1 or K < 1:
        raise InputError(f"sizes must be at least 1, got B={B}, T={T}, K={K}")
