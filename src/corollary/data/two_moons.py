r"""Two interleaved half circles: the small set that no line separates and any network should.

The upper moon, labelled :math:`+1`, is :math:`(\cos t, \sin t)`, the lower one, labelled
:math:`-1`, is :math:`(1 - \cos t, \tfrac12 - \sin t)`, with :math:`t` uniform on
:math:`[0, \pi]`; Gaussian noise is added to both coordinates.
"""

import math

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.seeding import as_generator


def two_moons(
    n: int, *, noise: float = 0.1, rng: int | Generator = 0, dtype: torch.dtype = torch.float64
) -> tuple[Float[Tensor, "n 2"], Float[Tensor, " n"]]:
    """Draw ``n`` points and their labels, half of them (rounded up) on the upper moon.

    Args:
        n: Number of points.
        noise: Standard deviation added to each coordinate.
        rng: Source of randomness.
        dtype: Of points and labels.

    Example:
        >>> x, y = two_moons(5, noise=0.0, rng=Generator().manual_seed(0))
        >>> tuple(x.shape), y.sum().item(), bool(torch.allclose(x[y > 0].norm(dim=1), y[y > 0]))
        ((5, 2), 1.0, True)
    """
    rng = as_generator(rng)
    if n < 1 or not 0 <= noise < math.inf:
        raise InputError(f"two moons need n >= 1 and a noise >= 0, got n={n}, noise={noise}")
    y = torch.ones(n, device=rng.device, dtype=dtype)
    y[(n + 1) // 2 :] = -1
    y = y[torch.randperm(n, generator=rng, device=rng.device)]
    t = math.pi * torch.rand(n, generator=rng, device=rng.device, dtype=dtype)
    upper = torch.stack([t.cos(), t.sin()], 1)  # (n, 2)
    shift = torch.tensor([1.0, 0.5], device=rng.device, dtype=dtype)
    x = torch.where(y[:, None] > 0, upper, shift - upper)
    return x + noise * torch.randn(n, 2, generator=rng, device=rng.device, dtype=dtype), y
