"""The default loss for an output and its target, when the user gives none."""

from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.nn import functional as F

from corollary.errors import InputError, NotApplicableError

Loss = Callable[[Any, Any], Tensor]


def named_loss(name: str) -> Loss:
    """A loss by its usual name."""
    losses: dict[str, Loss] = {
        "cross_entropy": cross_entropy,
        "mse": squared_error,
        "bce": binary_cross_entropy,
    }
    if name not in losses:
        raise InputError(f"expected the loss {', '.join(losses)}, got '{name}'")
    return losses[name]


def suited_loss(output: Tensor, target: Any) -> Loss:
    """Cross-entropy for class indices, logistic for one logit, squared error for numbers.

    Raises:
        NotApplicableError: if the shapes fit no loss; the message shows the shapes.
    """
    if isinstance(target, Tensor):
        if not target.is_floating_point():
            if output.numel() == target.numel() and _binary(target):
                return binary_cross_entropy
            if output.dim() == target.dim() + 1:
                return cross_entropy
        elif output.numel() == target.numel():
            return squared_error
    shape = tuple(target.shape) if isinstance(target, Tensor) else type(target).__name__
    raise NotApplicableError(
        f"no built-in loss fits an output of shape {tuple(output.shape)} and a target of "
        f"{shape}; pass loss=<function of (output, target)>"
    )


def cross_entropy(output: Tensor, target: Tensor) -> Tensor:
    """Mean cross-entropy; the classes are on the last axis, or on axis 1 as for images."""
    if output.shape[:-1] == target.shape:
        return F.cross_entropy(output.reshape(-1, output.shape[-1]), target.reshape(-1))
    return F.cross_entropy(output, target)


def squared_error(output: Tensor, target: Tensor) -> Tensor:
    """Mean squared error."""
    return F.mse_loss(output.reshape(target.shape), target.to(output.dtype))


def binary_cross_entropy(output: Tensor, target: Tensor) -> Tensor:
    """Mean logistic loss of one logit per sample."""
    return F.binary_cross_entropy_with_logits(output.reshape(target.shape), target.to(output.dtype))


def _binary(target: Tensor) -> bool:
    return bool(((target == 0) | (target == 1)).all())
