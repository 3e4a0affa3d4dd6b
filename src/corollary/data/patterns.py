r"""Patterns of signs for associative memories: independent, orthogonal, alike, and damaged.

:source: Perez Jensen (2025), Deep Learning, Section 1.4.
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.seeding import as_generator


def random_patterns(
    *shape: int, p: float | int = 0.5, rng: int | Generator = 0, dtype: torch.dtype = torch.float64
) -> Float[Tensor, "*shape"]:
    r"""Independent signs, each +1 with probability ``p`` (0.5: fair).

    Example:
        >>> x = random_patterns(4, 100, rng=torch.Generator().manual_seed(0))
        >>> x.shape, sorted(set(x.flatten().tolist()))
        (torch.Size([4, 100]), [-1.0, 1.0])
    """
    rng = as_generator(rng)
    if not 0 <= p <= 1 or not shape or min(shape) < 1:
        raise InputError(f"expected sizes of at least 1 and p in [0, 1], got {shape} and p={p:g}")
    if p == 0.5:  # bits are several times cheaper than uniform numbers
        bits = torch.randint(2, shape, generator=rng, device=rng.device, dtype=torch.int8)
        return bits.to(dtype).mul_(2).sub_(1)
    u = torch.rand(*shape, generator=rng, device=rng.device)
    return (u < p).to(dtype).mul_(2).sub_(1)


def orthogonal_patterns(
    s: int, n: int, *, rng: Generator | None = None, dtype: torch.dtype = torch.float64
) -> Float[Tensor, "s n"]:
    r"""``s`` rows of the Hadamard matrix of order ``n`` after Sylvester; ``n`` a power of two.

    With ``rng`` the rows are picked at random and the columns get random signs, which keeps the
    rows orthogonal and makes each look like noise.

    Example:
        >>> x = orthogonal_patterns(3, 4)
        >>> (x @ x.T).tolist()
        [[4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]]
    """
    if n < 1 or n & (n - 1) or not 1 <= s <= n:
        raise InputError(
            f"orthogonal patterns need n a power of two and 1 <= s <= n, got s={s}, n={n}"
        )
    H = torch.ones(1, 1, dtype=dtype)
    while len(H) < n:
        H = torch.cat([torch.cat([H, H], 1), torch.cat([H, -H], 1)])
    if rng is None:
        return H[:s]
    rows = torch.randperm(n, generator=rng, device=rng.device)[:s]
    return H.to(rng.device)[rows] * random_patterns(n, rng=rng, dtype=dtype)


def with_flipped_bits(
    x: Float[Tensor, "*batch n"], fraction: float | int, *, rng: int | Generator = 0
) -> Float[Tensor, "*batch n"]:
    r"""Each state with ``round(fraction * n)`` entries, chosen at random, of the other sign.

    Example:
        >>> x = torch.ones(5, 20)
        >>> with_flipped_bits(x, 0.1, rng=torch.Generator().manual_seed(0)).sum(1).tolist()
        [16.0, 16.0, 16.0, 16.0, 16.0]
    """
    rng = as_generator(rng)
    if not 0 <= fraction <= 1:
        raise InputError(f"fraction must lie in [0, 1], got {fraction:g}")
    k = round(fraction * x.shape[-1])
    keys = torch.rand(x.shape, generator=rng, device=rng.device)
    chosen = keys.argsort(-1)[..., :k]
    return x.scatter(-1, chosen, -x.gather(-1, chosen))
