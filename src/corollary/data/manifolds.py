r"""Manifolds of known dimension, placed in a space of many dimensions.

:source: Mathematical Foundations of Deep Learning (slides), Manifold Hypothesis.
"""

import math

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.seeding import as_generator


def embedded(
    X: Float[Tensor, "n d"], D: int, noise: float = 0.0, *, rng: int | Generator = 0
) -> Float[Tensor, "n D"]:
    """The points in a random d-dimensional subspace of R^D, plus Gaussian noise per coordinate.

    Example:
        >>> x = torch.tensor([[3.0, 4.0]], dtype=torch.float64)
        >>> round(embedded(x, 50, rng=torch.Generator().manual_seed(0)).norm().item(), 12)
        5.0
    """
    rng = as_generator(rng)
    n, d = X.shape
    if D < d or noise < 0:
        raise InputError(f"D >= {d} and noise >= 0 are needed, got D={D}, noise={noise:g}")
    Q: Tensor = torch.linalg.qr(_normal(X, rng, D, d)).Q
    return X @ Q.T + noise * _normal(X, rng, n, D)


def embedded_sphere(
    n: int, k: int, D: int, noise: float = 0.0, *, rng: int | Generator = 0
) -> Float[Tensor, "n D"]:
    """Uniform points on the unit k-sphere, which lives in k + 1 of the D dimensions.

    Example:
        >>> x = embedded_sphere(10, 2, 50, rng=torch.Generator().manual_seed(0))
        >>> x.shape, bool((x.norm(dim=1) - 1).abs().max() < 1e-12)
        (torch.Size([10, 50]), True)

    :covers: manifold-hypothesis
    """
    rng = as_generator(rng)
    if n < 1 or k < 1:
        raise InputError(f"a sphere needs n >= 1 points and k >= 1 dimensions, got n={n}, k={k}")
    z = torch.randn(n, k + 1, generator=rng, device=rng.device, dtype=torch.float64)
    return embedded(z / z.norm(dim=1, keepdim=True), D, noise, rng=rng)


def swiss_roll(
    n: int, D: int = 3, noise: float = 0.0, *, rng: int | Generator = 0
) -> Float[Tensor, "n D"]:
    r"""The surface :math:`(t\cos t, h, t\sin t)`, uniform in area, in D dimensions.

    t runs from 3π/2 to 9π/2 and h from 0 to 21, as usual.

    Example:
        >>> swiss_roll(10, 50, rng=torch.Generator().manual_seed(0)).shape
        torch.Size([10, 50])

    :covers: manifold-hypothesis
    """
    rng = as_generator(rng)
    if n < 1 or D < 3:
        raise InputError(f"the roll needs n >= 1 points and D >= 3, got n={n}, D={D}")
    u, h = torch.rand(2, n, generator=rng, device=rng.device, dtype=torch.float64)
    # The arc length of the spiral, inverted by a table.
    t = torch.linspace(1.5 * math.pi, 4.5 * math.pi, 4096, dtype=torch.float64, device=u.device)
    arc = (t * (1 + t**2).sqrt() + torch.asinh(t)) / 2
    arc = (arc - arc[0]) / (arc[-1] - arc[0])
    cell = torch.searchsorted(arc, u).clamp(1, len(t) - 1)
    part = (u - arc[cell - 1]) / (arc[cell] - arc[cell - 1])
    t = t[cell - 1] + part * (t[cell] - t[cell - 1])
    return embedded(torch.stack([t * t.cos(), 21 * h, t * t.sin()], dim=1), D, noise, rng=rng)


def two_spirals(
    n: int, turns: float = 1.0, noise: float = 0.0, *, rng: int | Generator = 0
) -> tuple[Float[Tensor, "n 2"], Float[Tensor, " n"]]:
    """Points on two spirals wound around each other, with labels -1 and +1 in turn.

    Example:
        >>> x, y = two_spirals(4, rng=torch.Generator().manual_seed(0))
        >>> y.tolist(), bool((x.norm(dim=1) <= 1).all())
        ([1.0, -1.0, 1.0, -1.0], True)

    :covers: manifold-hypothesis
    """
    rng = as_generator(rng)
    if n < 1 or not turns > 0 or noise < 0:
        raise InputError(
            f"expected n >= 1, turns > 0 and noise >= 0, got n={n}, "
            f"turns={turns:g}, noise={noise:g}"
        )
    r = torch.rand(n, generator=rng, device=rng.device, dtype=torch.float64).sqrt()
    y = 1.0 - 2.0 * (torch.arange(n, device=rng.device) % 2).double()
    angle = 2 * math.pi * turns * r
    x = (y * r)[:, None] * torch.stack([angle.cos(), angle.sin()], dim=1)
    return x + noise * _normal(x, rng, n, 2), y


def _normal(like: Tensor, rng: Generator, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=rng, device=rng.device, dtype=like.dtype)
