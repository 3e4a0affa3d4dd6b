r"""The zero-one loss, and the losses that stand in for it.

Its gradient is zero almost everywhere, so one minimises a surrogate. With the margin
:math:`m=yf(x)` the zero-one loss :math:`1[m\le0]` lies below

.. math:: \log_2(1+e^{-m}),\qquad \max(0,1-m),

so a small surrogate certifies a small error rate.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 5; Bartlett, Jordan and McAuliffe
    (2006), "Convexity, classification, and risk bounds".
"""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from corollary.errors import InputError
from corollary.train.losses.targets import Reduction, one_hot, reduced


def zero_one(prediction: Tensor, y: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    """0 where the predicted label is right, 1 where it is not; the mean is the error rate.

    Example:
        >>> zero_one(torch.tensor([1, 2, 2, 0]), torch.tensor([1, 2, 0, 0])).item()
        0.25

    :covers: zero-one-loss
    """
    if prediction.shape != y.shape or y.ndim != 1 or y.numel() == 0:
        raise InputError(
            "predicted and true labels must be two vectors of the same length >= 1, got "
            f"shapes {tuple(prediction.shape)} and {tuple(y.shape)}; call outputs.argmax(1) "
            "first"
        )
    dtype = prediction.dtype if prediction.is_floating_point() else torch.float64
    return reduced((prediction != y).to(dtype), reduction)


def error_rate(o: Tensor, y: Tensor) -> Tensor:
    """The fraction of rows whose largest output is not that of the class.

    Example:
        >>> error_rate(torch.tensor([[2.0, 1.0], [0.0, 3.0]]), torch.tensor([0, 0])).item()
        0.5
    """
    return zero_one(o.argmax(dim=1), one_hot(o, y).argmax(dim=1))


def zero_one_of_margin(m: Tensor) -> Tensor:
    """The loss of a margin: 1 where it is not positive.

    Example:
        >>> zero_one_of_margin(torch.tensor([-1.0, 0.0, 2.0])).tolist()
        [1.0, 1.0, 0.0]
    """
    return 1 - m.clamp(0, 1).ceil()  # NaN stays NaN, which a comparison would count as right


def log_surrogate(m: Tensor, *, base: float = 2.0) -> Tensor:
    """The logistic loss of a margin; in base 2 it is 1 at margin 0 and bounds the zero-one loss.

    Example:
        >>> log_surrogate(torch.tensor([0.0])).item()
        1.0
    """
    return F.softplus(-m) / math.log(base)


def hinge_surrogate(m: Tensor, *, margin: float = 1.0) -> Tensor:
    """The hinge loss of a margin; with margin 1 or more it bounds the zero-one loss.

    Example:
        >>> hinge_surrogate(torch.tensor([-1.0, 0.5, 2.0])).tolist()
        [2.0, 0.5, 0.0]
    """
    return (margin - m).relu()
