"""The value to be minimised on a batch, exactly the same in one piece or in several.

A mean of means is not the mean when the pieces are unequal: the last piece of a batch is smaller,
or a piece has fewer tokens that count. So each piece gives a sum and a count, and the batch's
value is sum / count.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch.nn.functional as F
from torch import Tensor, nn

from corollary.core.default_losses import cross_entropy
from corollary.errors import InputError, InputTypeError

Loss = Callable[..., Any]


class LeftFiniteNumbers(Exception):  # noqa: N818 - caught by the loop, which says where
    """The value of a batch is NaN or infinite."""


_BY_CLASS = (nn.CrossEntropyLoss, nn.NLLLoss)
_BY_CLASS_FUNCTIONS = (F.cross_entropy, F.nll_loss, cross_entropy)


class Piece(NamedTuple):
    """What a loss gave on some rows: ``total / divisor`` is its value there."""

    total: Tensor
    divisor: Tensor | float  # rows, or the weight of the targets that count


def compare(model: nn.Module, loss: Loss, *batch: Tensor) -> Any:
    """``loss(model(*inputs), target)``; the last tensor is the target if there are several."""
    if len(batch) == 1:
        return loss(model(batch[0]))
    return loss(model(*batch[:-1]), batch[-1])


def as_piece(value: Any, loss: Loss, batch: tuple[Tensor, ...]) -> Piece:
    """What the loss returned, a scalar mean or a pair (sum, count), as sum and count."""
    if isinstance(value, tuple) and len(value) == 2:
        return Piece(_scalar(value[0]).reshape(()), value[1])
    value = _scalar(value)
    count = mean_count(loss, batch)
    if count == 0:  # no target counts, and the mean of nothing is not a number
        value = value.nan_to_num()
    return Piece(value.reshape(()) * count, count)


def plain_value(value: Any) -> Tensor:
    """The value of a batch in one piece: the scalar itself, or sum / count of a pair."""
    if isinstance(value, tuple) and len(value) == 2:
        mean: Tensor = _scalar(value[0]) / value[1]
        return mean.reshape(())
    scalar = _scalar(value)
    return scalar if scalar.dim() == 0 else scalar.reshape(())


def finite(value: float) -> float:
    """The value itself, if it is a number."""
    if not math.isfinite(value):
        raise LeftFiniteNumbers
    return value


def positive(count: float) -> float:
    """The count itself, if a mean can be divided by it."""
    if count == 0:
        raise LeftFiniteNumbers
    return count


def mean_count(loss: Loss, batch: tuple[Tensor, ...]) -> Tensor | float:
    """What the mean taken by the loss divides by, up to a factor that all pieces share.

    That is the number of rows, except for cross entropy with class indices (its divisor is the
    weight of the targets that are not ignored) and for ``reduction='sum'`` (see :func:`is_sum`).

    Example:
        >>> import torch
        >>> float(mean_count(nn.CrossEntropyLoss(), (torch.tensor([2, -100, 0]),)))
        2.0
    """
    options = _options(loss)
    if is_sum(loss):
        return 1.0
    target = batch[-1]
    by_class = isinstance(loss, _BY_CLASS) or _function(loss) in _BY_CLASS_FUNCTIONS
    if not by_class or target.is_floating_point():
        return float(len(batch[0]))
    counted = target[target != options.get("ignore_index", -100)]
    weight = options.get("weight")
    return counted.numel() if weight is None else weight.to(target.device)[counted].sum()


def is_sum(loss: Loss) -> bool:
    """Whether the loss adds over rows, so that pieces add too and nothing is divided."""
    return bool(_options(loss).get("reduction", "mean") == "sum")


def _function(loss: Loss) -> Any:
    return loss.func if isinstance(loss, partial) else loss


def _options(loss: Loss) -> dict[str, Any]:
    if isinstance(loss, partial):
        return loss.keywords
    names = ("reduction", "ignore_index", "weight")
    return {k: getattr(loss, k) for k in names if hasattr(loss, k)}


def _scalar(value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        raise InputTypeError(
            "the loss must return a scalar tensor or a pair (sum, count), got "
            f"{type(value).__name__}"
        )
    if value.numel() != 1:
        raise InputError(
            f"the loss must return a scalar, got shape {tuple(value.shape)}; return the mean, "
            "or (sum, count)"
        )
    if not value.requires_grad:
        raise InputError(
            "the loss does not depend on any parameter that requires a gradient; check that "
            "the model is called, that no tensor is detached and that not all parameters are "
            "frozen"
        )
    return value
