r"""Hinge losses: zero beyond a margin, and how smooth they are at it.

.. math:: \sum_j\max(0,\tfrac12-\hat y_jo_j)^p,\qquad \hat y\in\{-1,+1\}^k,\quad p=1,2,3.

:source: Mathematical Foundations of Deep Learning (slides), Objective, Table 1; Janocha and
    Czarnecki (2017), "On loss functions for deep neural networks in classification".
"""

from torch import Tensor

from corollary.errors import InputError
from corollary.train.losses.targets import Reduction, reduced, signs


def hinge(
    o: Tensor,
    y: Tensor,
    *,
    power: int = 1,
    margin: float = 0.5,
    reduction: Reduction = "mean",
) -> Tensor:
    r"""Hinge (power 1), squared hinge (2) or cubed hinge (3) of all outputs against their signs.

    Zero iff each :math:`\hat y_jo_j` is at least the margin. With power 1 the slope jumps at the
    margin; power 2 is continuously differentiable, power 3 twice so.

    Args:
        o: Outputs.
        y: Class numbers, or signs of the shape of the outputs.
        power: 1, 2 or 3.
        margin: Where the loss becomes zero; the table has 1/2.
        reduction: Over rows.

    Example:
        >>> import torch
        >>> hinge(torch.tensor([[0.25, -1.0]]), torch.tensor([0])).item()
        0.25

    :covers: hinge-loss-family
    """
    if power not in (1, 2, 3):
        raise InputError(f"the power of a hinge loss must be 1, 2 or 3, got {power!r}")
    if not margin > 0:
        raise InputError(f"the margin of a hinge loss must be positive, got {margin:g}")
    short = (margin - signs(o, y) * o).relu()
    return reduced((short**power).sum(dim=1), reduction)
