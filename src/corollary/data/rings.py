r"""Two concentric rings: no line separates them, a circle does.

:source: Lucchi (2025), Foundations of Deep Learning, Figure 2.1; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Coordinate change.
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.seeding import as_generator


def rings(
    n: int, noise: float = 0.2, *, inner: float = 1.0, outer: float = 2.0, rng: int | Generator = 0
) -> tuple[Float[Tensor, "n 2"], Float[Tensor, " n"]]:
    r"""Draw ``n`` points, half on each ring, with labels -1 (inner) and +1 (outer).

    Angles are evenly spaced on each ring from a random start, so every ring with three or more
    points surrounds the origin; radii are uniform within ``noise`` of the ring, so for
    ``2 noise < outer - inner`` a circle separates the classes with certainty.

    Args:
        n: Number of points; an odd one goes to the outer ring.
        noise: Half width of each ring, ``0 <= noise < inner``.
        inner: Radius of the ring labelled -1.
        outer: Radius of the ring labelled +1.
        rng: Source of randomness.

    Example:
        >>> x, y = rings(100, 0.1, rng=torch.Generator().manual_seed(0))
        >>> bool(((x.norm(dim=1) > 1.5) == (y > 0)).all())
        True
    """
    rng = as_generator(rng)
    if n < 2:
        raise InputError(f"two rings need at least 2 points, got n={n}")
    if not 0 <= noise < inner < outer < float("inf"):
        raise InputError(
            "rings need 0 <= noise < inner < outer, got "
            f"noise={noise:g}, inner={inner:g} and outer={outer:g}"
        )

    def uniform(*shape: int) -> Tensor:
        return torch.rand(*shape, generator=rng, device=rng.device, dtype=torch.float64)

    parts, labels = [], []
    for count, radius, label in ((n // 2, inner, -1.0), (n - n // 2, outer, 1.0)):
        turn = torch.arange(count, device=rng.device, dtype=torch.float64) / count
        angle = 2 * torch.pi * (turn + uniform(1))
        r = radius + noise * (2 * uniform(count) - 1)
        parts.append(torch.stack([r * angle.cos(), r * angle.sin()], dim=1))
        labels.append(torch.full_like(r, label))
    order = torch.randperm(n, generator=rng, device=rng.device)
    return torch.cat(parts)[order], torch.cat(labels)[order]
