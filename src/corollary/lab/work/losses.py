"""The losses of the playground, for labels -1 and 1 and for heights."""

import torch
from torch import Tensor
from torch.nn import functional as F


def logistic(output: Tensor, y: Tensor) -> Tensor:
    """The mean of log(1 + exp(-y f))."""
    return F.softplus(-y * output[:, 0]).mean()


def squared(output: Tensor, y: Tensor) -> Tensor:
    """Half the mean of (f - y)^2."""
    return 0.5 * ((output[:, 0] - y) ** 2).mean()


def constant_loss(y: Tensor, *, logistic: bool) -> float:
    """The loss of the best constant output: the entropy of the labels, or half their variance.

    Example:
        >>> round(constant_loss(torch.tensor([1.0, 1.0, -1.0, -1.0]), logistic=True), 6)  # log 2
        0.693147
        >>> constant_loss(torch.tensor([1.0, -1.0]), logistic=False)
        0.5
    """
    if not logistic:
        return 0.5 * float(y.var(correction=0))
    share = (y > 0).double().mean()
    return float(torch.special.entr(share) + torch.special.entr(1 - share))
