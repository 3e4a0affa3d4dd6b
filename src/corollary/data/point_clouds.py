r"""Clouds of points on simple bodies, to be told apart or cut into parts.

:source: Perez Jensen (2025), Deep Learning, Section 7.3.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.seeding import as_generator

SHAPES = ("ball", "box", "ring")


def point_clouds(
    n: int, M: int, *, noise: float = 0.0, rng: int | Generator = 0
) -> tuple[Float[Tensor, "n M 3"], Int[Tensor, " n"]]:
    """``n`` clouds of ``M`` points on a sphere (0), a cube's surface (1) or a circle (2) in turn.

    Each body is turned at random and has size 1; noise is Gaussian per coordinate.

    Example:
        >>> x, y = point_clouds(3, 5, rng=torch.Generator().manual_seed(0))
        >>> x.shape, y.tolist(), round(x[0].norm(dim=1).max().item(), 6)
        (torch.Size([3, 5, 3]), [0, 1, 2], 1.0)
    """
    rng = as_generator(rng)
    if n < 1 or M < 1 or noise < 0:
        raise InputError(f"expected n, M >= 1 and noise >= 0, got n={n}, M={M}, noise={noise:g}")
    normal = _normal(rng, n, M, 3)
    sphere = normal / normal.norm(dim=-1, keepdim=True)
    box = 2 * torch.rand(n, M, 3, generator=rng, device=rng.device, dtype=torch.float64) - 1
    face = torch.randint(3, (n, M, 1), generator=rng, device=rng.device)
    box = box.scatter(2, face, box.gather(2, face).sign()) / math.sqrt(3)
    flat = normal[..., :2] / normal[..., :2].norm(dim=-1, keepdim=True)
    ring = torch.cat([flat, torch.zeros_like(flat[..., :1])], dim=-1)
    y = torch.arange(n, device=rng.device) % 3
    x = torch.where(
        (y == 0)[:, None, None], sphere, torch.where((y == 1)[:, None, None], box, ring)
    )
    turn = torch.linalg.qr(_normal(rng, n, 3, 3)).Q
    return x @ turn + noise * _normal(rng, n, M, 3), y


def lollipops(
    n: int, M: int, *, rng: int | Generator = 0
) -> tuple[Float[Tensor, "n M 3"], Int[Tensor, "n M"]]:
    """``n`` clouds of ``M`` points on a stick (part 0) and the sphere at its end (part 1).

    Example:
        >>> x, part = lollipops(2, 6, rng=torch.Generator().manual_seed(0))
        >>> x.shape, part.shape
        (torch.Size([2, 6, 3]), torch.Size([2, 6]))
    """
    rng = as_generator(rng)
    if n < 1 or M < 1:
        raise InputError(f"expected n, M >= 1, got {n} and {M}")
    part = torch.randint(2, (n, M), generator=rng, device=rng.device)
    normal = _normal(rng, n, M, 3)
    sphere = 0.5 * normal / normal.norm(dim=-1, keepdim=True)
    height = torch.rand(n, M, 1, generator=rng, device=rng.device, dtype=torch.float64)
    stick = torch.cat([torch.zeros_like(sphere[..., :2]), -0.5 - height], dim=-1)
    turn = torch.linalg.qr(_normal(rng, n, 3, 3)).Q
    return torch.where(part[..., None] == 1, sphere, stick) @ turn, part


def _normal(rng: Generator, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=rng, device=rng.device, dtype=torch.float64)
