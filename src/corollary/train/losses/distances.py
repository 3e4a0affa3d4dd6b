r"""Losses that are distances, of the outputs or of their softmax, from the target.

.. math:: \|y-o\|_1,\quad \|y-o\|_2^2,\quad \|y-p\|_1,\quad \|y-p\|_2^2,\quad \max_j|p_j-y_j|.

For a one-hot target of class :math:`c` the last three are :math:`2(1-p_c)`,
:math:`1-2p_c+\|p\|_2^2` and :math:`1-p_c`.

:source: Mathematical Foundations of Deep Learning (slides), Objective, Table 1; Janocha and
    Czarnecki (2017), "On loss functions for deep neural networks in classification"; Lucchi
    (2025), Foundations of Deep Learning, Sections 2.5.2 and 5; Brier (1950), "Verification of
    forecasts expressed in terms of probability".
"""

from torch import Tensor

from corollary.theory.networks.softmax import softmax
from corollary.train.losses.targets import Reduction, one_hot, reduced


def l1(o: Tensor, y: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    r"""The sum of :math:`|y_j-o_j|`; its subgradient is :math:`\operatorname{sign}(o-y)`.

    Over constants the minimiser is the median, coordinate by coordinate.

    Example:
        >>> import torch
        >>> l1(torch.tensor([[1.0, 3.0]]), torch.tensor([[0.0, 1.0]])).item()
        3.0

    :covers: l1-loss
    """
    return reduced((one_hot(o, y) - o).abs().sum(dim=1), reduction)


def squared(o: Tensor, y: Tensor, *, half: bool = True, reduction: Reduction = "mean") -> Tensor:
    r"""Half the squared distance, with gradient :math:`o-y`; the whole of it with ``half=False``.

    Summed over the k outputs. torch's ``MSELoss`` averages over them too and has no half: its
    value is :math:`2/k` times this one. Over constants the minimiser is the mean.

    Example:
        >>> import torch
        >>> squared(torch.tensor([[1.0, 3.0]]), torch.tensor([[0.0, 1.0]])).item()
        2.5

    :covers: squared-loss
    """
    factor = 0.5 if half else 1.0
    return reduced(factor * ((one_hot(o, y) - o) ** 2).sum(dim=1), reduction)


def expectation(o: Tensor, y: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    r"""The distance :math:`\|y-p\|_1`: twice the probability of drawing a wrong label from p.

    Example:
        >>> import torch
        >>> expectation(torch.zeros(1, 4), torch.tensor([2])).item()
        1.5

    :covers: expectation-loss
    """
    return reduced((one_hot(o, y) - softmax(o)).abs().sum(dim=1), reduction)


def brier(o: Tensor, y: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    r"""The squared distance :math:`\|y-p\|_2^2`, a proper score: least at the law of the labels.

    Example:
        >>> import torch
        >>> brier(torch.zeros(1, 4), torch.tensor([2])).item()
        0.75

    :covers: regularised-expectation-loss
    """
    return reduced(((one_hot(o, y) - softmax(o)) ** 2).sum(dim=1), reduction)


def chebyshev(o: Tensor, y: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    r"""The largest of :math:`|p_j-y_j|`.

    For a one-hot target it is the entry of the class itself, :math:`1-p_c`, since the other
    probabilities share what is left; so it is half of :func:`expectation`.

    Example:
        >>> import torch
        >>> chebyshev(torch.zeros(1, 4), torch.tensor([2])).item()
        0.75

    :covers: chebyshev-loss
    """
    return reduced((one_hot(o, y) - softmax(o)).abs().amax(dim=1), reduction)
