r"""Balls of perturbations: size, steepest direction, projection, random points.

The steepest direction of a ball is the point that maximises :math:`\langle g,\delta\rangle`; its
value is :math:`\epsilon\|g\|_*` with the dual norm: :math:`\ell_1` for :math:`\ell_\infty`,
:math:`\ell_2` for itself, :math:`\ell_\infty` for :math:`\ell_1`. All functions work row by row on
inputs of any shape.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.1; Duchi, Shalev-Shwartz, Singer
    and Chandra (2008), "Efficient projections onto the l1-ball for learning in high dimensions".
"""

import math
from typing import Any, Literal

import torch
from jaxtyping import Float, Shaped
from torch import Generator, Tensor

from corollary.errors import InputError

Norm = Literal["linf", "l2", "l1"]
ORDER = {"linf": math.inf, "l2": 2.0, "l1": 1.0}
DUAL: dict[str, Norm] = {"linf": "l1", "l2": "l2", "l1": "linf"}
TINY = 1e-38  # below any gradient that is not zero, in float32 too


def check_ball(eps: float | int, norm: str) -> None:
    """A radius >= 0 and one of the three norms.

    Example:
        >>> check_ball(0.1, "linf")
    """
    if norm not in ORDER:
        raise InputError(f"norm must be one of {', '.join(ORDER)}, got '{norm}'")
    if not 0 <= eps < math.inf:
        raise InputError(f"eps, the size of perturbations, must be a number >= 0, got {eps}")


def size(delta: Float[Tensor, "n *s"], norm: Norm) -> Float[Tensor, " n"]:
    """The norm of each row.

    Example:
        >>> size(torch.tensor([[3.0, -4.0]]), "l2").item()
        5.0
    """
    sizes: Tensor = torch.linalg.vector_norm(delta.flatten(1), ORDER[norm], dim=1)
    return sizes


def dual_size(g: Float[Tensor, "n *s"], norm: Norm) -> Float[Tensor, " n"]:
    """The largest product of each row with a perturbation of size 1.

    Example:
        >>> dual_size(torch.tensor([[3.0, -4.0]]), "linf").item()
        7.0
    """
    return size(g, DUAL[norm])


def steepest(g: Float[Tensor, "n *s"], norm: Norm) -> Float[Tensor, "n *s"]:
    """The perturbation of size 1 along which each row grows fastest; 0 where the row is 0.

    Example:
        >>> g = torch.tensor([[3.0, -4.0]])
        >>> [steepest(g, norm).tolist() for norm in ("linf", "l1")]
        [[[1.0, -1.0]], [[0.0, -1.0]]]
    """
    if norm == "linf":
        return g.sign()
    if norm == "l2":
        length = size(g, "l2").clamp_min(TINY)
        return g / per_row(length, g)
    flat = g.flatten(1)
    top = flat.abs().argmax(dim=1, keepdim=True)
    one = torch.zeros_like(flat).scatter_(1, top, flat.gather(1, top).sign())
    return one.view_as(g)


def project(delta: Float[Tensor, "n *s"], eps: float | int, norm: Norm) -> Float[Tensor, "n *s"]:
    """The nearest perturbation, in Euclidean distance, of size at most ``eps``.

    Costs a sort of each row for ``l1``.

    Example:
        >>> project(torch.tensor([[3.0, 4.0]]), 1.0, "l2").tolist()
        [[0.6000000238418579, 0.800000011920929]]
        >>> project(torch.tensor([[3.0, 4.0]]), 1.0, "l1").tolist()
        [[0.0, 1.0]]
    """
    if norm == "linf":
        return delta.clamp(-eps, eps)
    if norm == "l2":
        length = size(delta, "l2")
        return delta * per_row((eps / length.clamp_min(TINY)).clamp_max(1.0), delta)
    return _project_l1(delta, eps)


def random_in_ball(
    like: Float[Tensor, "n *s"], eps: float | int, norm: Norm, *, rng: Generator
) -> Float[Tensor, "n *s"]:
    """A point of the ball for each row, uniform in it.

    Example:
        >>> drawn = random_in_ball(torch.zeros(9, 4), 0.5, "l1", rng=torch.Generator())
        >>> bool((size(drawn, "l1") <= 0.5).all())
        True
    """
    options: dict[str, Any] = {"generator": rng, "device": rng.device, "dtype": like.dtype}
    if norm == "linf":
        return (2 * torch.rand(like.shape, **options) - 1).mul_(eps)
    n, d = len(like), like[0].numel()
    if norm == "l2":
        direction = torch.randn(n, d, **options)
    else:  # exponential sizes with random signs are uniform on the sphere of l1
        sizes = -torch.rand(n, d, **options).clamp_min(TINY).log()
        direction = sizes * (torch.rand(n, d, **options) - 0.5).sign()
    length = size(direction, norm).clamp_min(TINY)[:, None]
    radius = torch.rand(n, 1, **options) ** (1 / d)
    return (eps * radius * direction / length).view_as(like)


def per_row(value: Shaped[Tensor, " n"], like: Float[Tensor, "n *s"]) -> Tensor:
    """One number per row, shaped to multiply inputs.

    Example:
        >>> per_row(torch.ones(2), torch.ones(2, 3, 4)).shape
        torch.Size([2, 1, 1])
    """
    return value.view(-1, *(1,) * (like.dim() - 1))


def _project_l1(delta: Tensor, eps: float | int) -> Tensor:
    flat = delta.flatten(1)
    sizes = flat.abs()
    ordered = sizes.sort(dim=1, descending=True).values
    count = torch.arange(1, flat.shape[1] + 1, device=flat.device, dtype=flat.dtype)
    levels = (ordered.cumsum(dim=1) - eps) / count
    last = (ordered > levels).sum(dim=1, keepdim=True).clamp_min(1) - 1  # entries that stay
    level = levels.gather(1, last).clamp_min(0.0)  # 0 where the row is inside already
    return (flat.sign() * (sizes - level).clamp_min(0.0)).view_as(delta)
