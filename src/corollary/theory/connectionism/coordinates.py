r"""Changes of coordinates in the plane that make rings separable.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.1 and Figure 2.1; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1, Coordinate change.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


def polar(x: Float[Tensor, "n d"]) -> Float[Tensor, "n 2"]:
    r"""Cartesian to polar: :math:`(x_1,x_2)\mapsto(r,\vartheta)`, angle in :math:`(-\pi,\pi]`.

    The origin has no angle; it is given 0.

    Example:
        >>> polar(torch.tensor([[3.0, 4.0], [0.0, -2.0]]))
        tensor([[ 5.0000,  0.9273],
                [ 2.0000, -1.5708]])
    """
    _plane(x)
    return torch.stack([torch.hypot(x[:, 0], x[:, 1]), torch.atan2(x[:, 1], x[:, 0])], dim=1)


def squared_radius(x: Float[Tensor, "n d"]) -> Float[Tensor, "n 1"]:
    r"""The one coordinate :math:`\|x\|^2`, a polynomial of degree two; any dimension.

    Example:
        >>> squared_radius(torch.tensor([[3.0, 4.0]]))
        tensor([[25.]])
    """
    return x.square().sum(dim=1, keepdim=True)


def widest_gap(x: Float[Tensor, "n d"]) -> Float[Tensor, ""]:
    r"""Largest angle at the origin free of points.

    Below :math:`\pi` the origin lies inside the convex hull of the points: every half-plane
    through it holds one.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
        >>> round(float(widest_gap(x)), 4)
        1.5708
    """
    angle = polar(x)[:, 1].sort().values
    return torch.cat([angle.diff(), angle[:1] + 2 * torch.pi - angle[-1:]]).max()


def _plane(x: Tensor) -> None:
    if x.ndim != 2 or x.shape[1] != 2 or len(x) == 0:
        raise InputError(f"polar coordinates need points (n, 2), got shape {tuple(x.shape)}")
    if not torch.isfinite(x).all():
        raise InputError("polar coordinates need finite points, got NaN or inf")
