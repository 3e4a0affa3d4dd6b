r"""Synthetic images: stripes of two directions, and small patterns anywhere in a picture.

They stand in for photographs where none are at hand. Class and place (or phase) are independent, so
a network that treats all places alike needs few examples, and one that does not needs all places.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.1, Figures 10.8 and 10.9.
:covers: dataset-cifar10-imagenet
"""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.seeding import as_generator

PATTERNS = torch.tensor(
    [
        [[1, 1, 1, 1], [1, 0, 0, 1], [1, 0, 0, 1], [1, 1, 1, 1]],  # ring
        [[1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]],  # cross
        [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]],  # check
    ],
    dtype=torch.float64,
)

Labelled = tuple[Float[Tensor, "n c s s"], Int[Tensor, " n"]]


def stripes(
    n: int, size: int = 32, *, channels: int = 1, noise: float = 0.1, rng: int | Generator = 0
) -> Labelled:
    """Vertical (label 0) or horizontal stripes (label 1), of random places, widths and signs.

    Example:
        >>> x, y = stripes(50, 8, noise=0.0, rng=torch.Generator().manual_seed(0))
        >>> tuple(x.shape), bool((x[y == 0].diff(dim=2) == 0).all())  # no change down a column
        ((50, 1, 8, 8), True)
    """
    rng = as_generator(rng)
    if n < 1 or size < 2 or channels < 1 or noise < 0:
        raise InputError(
            f"stripes need n >= 1, size >= 2, channels >= 1 and noise >= 0, got {n=}, {size=}, "
            f"{channels=}, {noise=}"
        )
    how: dict[str, Any] = {"generator": rng, "device": rng.device, "dtype": torch.float64}
    flips = torch.where(torch.rand(n, size, **how) < 1 / 5, -1.0, 1.0).to(torch.float64)
    flips[:, 0] = torch.where(torch.rand(n, **how) < 0.5, -1.0, 1.0)
    profile = flips.cumprod(dim=1)[:, None, None, :]  # changes sign at a fifth of the places
    y = torch.randint(2, (n,), generator=rng, device=rng.device)
    down = profile.expand(n, channels, size, size)
    x = torch.where(y[:, None, None, None] == 0, down, down.mT)
    return x + noise * torch.randn(x.shape, **how), y


def placed_patterns(
    n: int,
    size: int = 32,
    *,
    where: tuple[int, int] | None = None,
    noise: float = 0.1,
    rng: int | Generator = 0,
) -> Labelled:
    """A ring, a cross or a check of 4 x 4 (label 0, 1, 2) somewhere on a torus of size x size.

    ``where=(a, b)`` keeps the column of the pattern's corner in ``a <= column < b``.

    Example:
        >>> x, y = placed_patterns(9, 8, noise=0.0, rng=torch.Generator().manual_seed(0))
        >>> [12.0, 8.0, 8.0][int(y[0])] == x[0].sum().item()
        True
    """
    rng = as_generator(rng)
    a, b = where or (0, size)
    if n < 1 or size < 4 or not 0 <= a < b <= size or noise < 0:
        raise InputError(
            f"patterns need n >= 1, size >= 4, 0 <= a < b <= size and noise >= 0, got {n=}, "
            f"{size=}, {where=}, {noise=}"
        )
    y = torch.randint(3, (n,), generator=rng, device=rng.device)
    row = torch.randint(size, (n, 1), generator=rng, device=rng.device)
    column = torch.randint(a, b, (n, 1), generator=rng, device=rng.device)
    steps = torch.arange(4, device=rng.device)
    x = torch.zeros(n, 1, size, size, dtype=torch.float64, device=rng.device)
    rows, columns = ((start + steps) % size for start in (row, column))
    which = torch.arange(n, device=rng.device)[:, None, None]
    x[which, 0, rows[:, :, None], columns[:, None, :]] = PATTERNS.to(rng.device)[y]
    shape = x.shape
    draw = torch.randn(shape, generator=rng, device=rng.device, dtype=torch.float64)
    return x + noise * draw, y
