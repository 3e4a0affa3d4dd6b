"""Points of the plane in two classes, centred, for the playground."""

import torch
from torch import Generator, Tensor

from corollary.data.rings import rings
from corollary.data.two_gaussians import two_gaussians
from corollary.data.two_moons import two_moons
from corollary.data.xor import xor

SPREAD = 0.2  # of the clouds of xor, without noise


def cloud(name: str, n: int, noise: float, *, rng: Generator) -> tuple[Tensor, Tensor]:
    """About ``n`` points and their labels, -1 or +1, in a random order.

    Example:
        >>> x, y = cloud("xor", 8, 0.0, rng=torch.Generator().manual_seed(0))
        >>> tuple(x.shape), sorted(set(y.tolist()))
        ((8, 2), [-1.0, 1.0])
    """
    if name == "moons":
        x, y = two_moons(n, noise=noise, rng=rng)
        x = 1.5 * (x - x.new_tensor([0.5, 0.25]))
    elif name == "rings":
        x, y = rings(n, noise=noise, rng=rng)
    elif name == "xor":
        corners, labels = xor()
        pick = torch.arange(n) % 4
        x, y = 2 * corners[pick] - 1, labels[pick]
        x = x + (SPREAD + noise) * torch.randn(x.shape, generator=rng, dtype=x.dtype)
    else:
        x, y = two_gaussians(max(1, n // 2), rng=rng)
        x, y = (x - x.mean(0)) / x.std(), 2 * y[:, 0] - 1
        x = x + noise * torch.randn(x.shape, generator=rng, dtype=x.dtype)
    order = torch.randperm(len(x), generator=rng)
    return x[order], y[order]
