"""What every loss starts and ends with: outputs and targets that fit, and the mean over rows."""

from typing import Literal

from torch import Tensor
from torch.nn import functional as F

from corollary.errors import InputError, InputTypeError
from corollary.theory.networks.information import check_probabilities

Reduction = Literal["mean", "sum", "none"]


def check_outputs(o: Tensor) -> None:
    """Raise unless ``o`` holds finite outputs, one row per sample."""
    if not isinstance(o, Tensor) or not o.is_floating_point():
        what = str(o.dtype) if isinstance(o, Tensor) else type(o).__name__
        raise InputTypeError(f"expected outputs to be a floating tensor, got {what}")
    if o.ndim != 2 or o.numel() == 0:
        raise InputError(f"outputs must have shape (n, k), n, k >= 1, got {tuple(o.shape)}")
    if not bool(o.isfinite().all()):
        row = int((~o.isfinite()).any(dim=1).nonzero()[0])
        raise InputError(f"outputs must be finite, but row {row} holds {_odd(o[row])}")


def one_hot(o: Tensor, y: Tensor) -> Tensor:
    """Targets as vectors like ``o``: class numbers become one-hot, vectors are kept.

    Example:
        >>> import torch
        >>> one_hot(torch.zeros(2, 3), torch.tensor([2, 0])).tolist()
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    check_outputs(o)
    if not isinstance(y, Tensor):
        raise InputTypeError(f"expected targets to be a tensor, got {type(y).__name__}")
    if y.shape == o.shape and y.is_floating_point():
        if not bool(y.isfinite().all()):
            raise InputError(f"expected finite targets, got {_odd(y.flatten())}")
        return y.to(o.dtype)
    n, k = o.shape
    if y.shape != (n,) or y.is_floating_point():
        raise InputError(
            f"targets must be {n} class numbers (integers) or vectors of shape {(n, k)}, got "
            f"{y.dtype} of shape {tuple(y.shape)}"
        )
    outside = (y < 0) | (y >= k)
    if bool(outside.any()):
        raise InputError(f"expected class numbers from 0 to {k - 1}, got {int(y[outside][0])}")
    return F.one_hot(y.long(), k).to(o.dtype)


def distribution(o: Tensor, y: Tensor) -> Tensor:
    """Targets as probability vectors like ``o``; vectors that are none are refused."""
    y = one_hot(o, y)
    check_probabilities(y.detach(), "y")
    return y


def signs(o: Tensor, y: Tensor) -> Tensor:
    """Targets as signs like ``o``: class c becomes +1 at c and -1 elsewhere."""
    if y.shape != o.shape or not y.is_floating_point():
        return 2 * one_hot(o, y) - 1
    check_outputs(o)
    other = (y != 1) & (y != -1)
    if bool(other.any()):
        bad = y[other][0].item()
        raise InputError(f"the hinge loss expected labels -1 or +1, got {bad:g}")
    return y.to(o.dtype)


def reduced(rows: Tensor, reduction: Reduction) -> Tensor:
    """The mean or the sum of the rows' losses, or all of them."""
    if reduction == "none":
        return rows
    if reduction not in ("mean", "sum"):
        raise InputError(f"reduction must be mean, sum or none, got {reduction!r}")
    return rows.mean() if reduction == "mean" else rows.sum()


def _odd(values: Tensor) -> str:
    return f"{values[~values.isfinite()][0].item():g}"
