"""Points of the plane in two classes or with heights, centred, for the playground."""

import torch
from torch import Generator, Tensor

from corollary.data.manifolds import two_spirals
from corollary.data.rings import rings
from corollary.data.surfaces import gaussian_hills, surveyed, tilted_plane
from corollary.data.two_gaussians import two_gaussians
from corollary.data.two_moons import two_moons
from corollary.data.xor import xor

SPREAD = 0.2  # of the clouds of xor, without noise
TURNS = 1.75  # of each arm of the spiral


def cloud(name: str, n: int, noise: float, *, rng: Generator) -> tuple[Tensor, Tensor]:
    """About ``n`` points and their labels, -1 or +1, or their heights, in a random order.

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
    elif name == "spiral":
        x, y = two_spirals(n, TURNS, noise / 4, rng=rng)
        x = 2 * x
    elif name in ("plane", "hills"):
        height = tilted_plane if name == "plane" else gaussian_hills
        x, y = surveyed(height, n, noise=noise, rng=rng)
    else:
        x, y = two_gaussians(max(1, n // 2), rng=rng)
        x, y = (x - x.mean(0)) / x.std(), 2 * y[:, 0] - 1
        x = x + noise * torch.randn(x.shape, generator=rng, dtype=x.dtype)
    order = torch.randperm(len(x), generator=rng)
    return x[order], y[order]
