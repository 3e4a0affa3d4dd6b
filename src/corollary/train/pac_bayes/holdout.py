r"""The exact bound from data that was not used: the one every certificate is compared with.

If k of n fresh samples are wrong, then with probability at least :math:`1-\delta`

.. math:: R\le\max\{p:\ \Pr[\mathrm{Bin}(n,p)\le k]\ge\delta\} .

:source: Langford (2005), "Tutorial on practical prediction theory for classification", Theorem 3.3;
    Clopper and Pearson (1934), "The use of confidence or fiducial limits".
"""

import torch
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.confidence.binomial import upper_limit


def holdout_bound(wrong: int, n: int, delta: float) -> float:
    r"""The largest risk that is compatible with ``wrong`` errors among ``n`` fresh samples.

    Example:
        >>> bound = holdout_bound(0, 100, 0.05)
        >>> round((1 - bound) ** 100, 12)
        0.05
    """
    if not (0 <= wrong <= n and n > 0 and 0 < delta < 1):
        raise InputError(
            f"expected 0 <= wrong <= n and 0 < delta < 1, got wrong={wrong}, n={n}, delta={delta:g}"
        )
    return float(upper_limit(wrong, n, delta))


def errors(output: Tensor, y: Tensor) -> Tensor:
    """Which rows are classified wrongly; a tie is an error.

    A row of several outputs names the class of the largest; a single output names a class by its
    sign, for labels -1 and 1, or 0 and 1.

    Example:
        >>> errors(torch.tensor([[2.0, 1.0], [0.0, 3.0]]), torch.tensor([0, 0])).tolist()
        [False, True]
        >>> errors(torch.tensor([0.5, -1.0]), torch.tensor([1.0, 1.0])).tolist()
        [False, True]
    """
    scores, labels = head(output, y)
    if scores.dim() == 1:
        return ~(scores * labels > 0)
    own = scores.gather(1, labels[:, None])
    others = scores.scatter(1, labels[:, None], -torch.inf)
    return ~(others.amax(dim=1) < own[:, 0])


def soft_error(output: Tensor, y: Tensor) -> Tensor:
    """The mean probability of a wrong class under the softmax: what is trained on.

    Example:
        >>> soft_error(torch.zeros(3, 4), torch.tensor([0, 1, 2])).item()
        0.75
    """
    scores, labels = head(output, y)
    if scores.dim() == 1:
        return torch.sigmoid(-scores * labels).mean()
    return 1 - scores.softmax(dim=1).gather(1, labels[:, None]).mean()


def head(output: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Outputs as (n,) with labels -1 and 1, or as (n, k) with class indices."""
    n = len(y)
    if output.dim() == 2 and output.shape[1] == 1:
        output = output[:, 0]
    if y.dim() != 1 or output.shape[:1] != (n,) or output.dim() > 2:
        raise InputError(
            "a classifier must return outputs of shape (n,), (n, 1) or (n, k) for n labels, "
            f"got shapes {tuple(output.shape)} and {tuple(y.shape)}"
        )
    if output.dim() == 1:
        if not bool(((y.abs() == 1) | (y == 0)).all()):
            raise InputError("a single output needs labels -1 and 1, or 0 and 1, got other values")
        return output, torch.where(y > 0, 1.0, -1.0).to(output)
    if y.is_floating_point() or not bool(((y >= 0) & (y < output.shape[1])).all()):
        raise InputError(
            f"{output.shape[1]} outputs need class indices from 0 to {output.shape[1] - 1} of an "
            "integer type, got other values"
        )
    return output, y.long()
