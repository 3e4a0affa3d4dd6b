"""Points with labels -1 and +1: the checks every function of this chapter starts with."""

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from corollary.errors import InputError, InputTypeError


def check_labelled(x: Shaped[Tensor, "..."], y: Shaped[Tensor, "..."]) -> None:
    """Raise unless ``x`` is a finite (n, d) matrix and ``y`` holds n labels, each -1 or +1."""
    if not isinstance(x, Tensor) or not isinstance(y, Tensor):
        kinds = f"{type(x).__name__} and {type(y).__name__}"
        raise InputTypeError(f"points and labels must be tensors, got {kinds}")
    if x.ndim != 2 or y.shape != x.shape[:1] or x.numel() == 0:
        raise InputError(
            f"points must have shape (n, d) and labels (n,) with n, d >= 1, got {tuple(x.shape)} "
            f"and {tuple(y.shape)}"
        )
    if not x.is_floating_point():
        raise InputTypeError(f"points must be floating, got {x.dtype}; use x.double()")
    if not bool(x.sum().isfinite()) and not bool(x.isfinite().all()):  # the sum is the cheap look
        row = int((~torch.isfinite(x)).any(dim=1).nonzero()[0])
        raise InputError(f"points must be finite, but point {row} is {x[row].tolist()}")
    other = (y != 1) & (y != -1)
    if bool(other.any()):
        value = y[other][0].item()
        raise InputError(
            f"expected labels -1 or +1, got {value:g}; for labels 0 and 1 pass 2 * y - 1"
        )


def signed_points(
    x: Float[Tensor, "n d"], y: Shaped[Tensor, " n"], *, bias: bool = False
) -> Float[Tensor, "n k"]:
    r"""The rows :math:`z_i = y_i x_i`, or :math:`y_i (x_i, 1)` with a bias.

    A vector classifies every point correctly iff its inner product with every row is positive, so
    questions about labelled points become questions about one cloud.

    Example:
        >>> signed_points(torch.tensor([[2.0, 3.0]]), torch.tensor([-1.0]), bias=True).tolist()
        [[-2.0, -3.0, -1.0]]
    """
    check_labelled(x, y)
    return y.to(x.dtype)[:, None] * (homogeneous(x) if bias else x)


def homogeneous(x: Float[Tensor, "n d"]) -> Float[Tensor, "n k"]:
    r"""The augmented points :math:`(x, 1)`: an affine map of x is a linear map of them.

    Example:
        >>> homogeneous(torch.tensor([[2.0, 3.0]])).tolist()
        [[2.0, 3.0, 1.0]]
    """
    return torch.cat([x, x.new_ones(x.shape[0], 1)], dim=1)
