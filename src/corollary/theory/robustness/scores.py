r"""What an attack looks at: loss, margin and their gradients in the outputs of a classifier.

Outputs are logits ``(n, k)`` with class numbers as labels, or one score per row, ``(n,)`` or
``(n, 1)``, with labels -1 and +1. Row by row:

.. math:: \ell=-\log\operatorname{softmax}(o)_y\ \text{ or }\ \log(1+e^{-yf}),\qquad
   m=o_y-\max_{j\ne y}o_j\ \text{ or }\ yf.

A row is fooled when its margin is not positive. The gradient of the loss is
:math:`\nabla_o\ell=(1-p_y)(q-e_y)` with q the softmax over the other classes. An attack that
divides gradients by their size needs only :math:`q-e_y`, which does not fade when
:math:`p_y` rounds to 1: confidence hides nothing.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.1; Carlini and Wagner (2017),
    "Towards evaluating the robustness of neural networks", for the margin; Croce and Hein (2020),
    "Reliable evaluation of adversarial robustness with an ensemble of diverse parameter-free
    attacks", Equations 6 and 7, for the ratios of differences of logits.
"""

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor
from torch.nn import functional as F

from corollary.errors import InputError

TINY_GAP = 1e-12  # keeps ratios finite where the largest logits are equal


def losses(out: Float[Tensor, "n *k"], y: Shaped[Tensor, " n"]) -> Float[Tensor, " n"]:
    """The cross-entropy, or the logistic loss, of each row.

    Example:
        >>> losses(torch.zeros(1, 4), torch.tensor([2])).exp().item()
        4.0
    """
    if is_score(out):
        return F.softplus(-y * out.reshape(-1))
    return F.cross_entropy(out, y, reduction="none")


def margins(out: Float[Tensor, "n *k"], y: Shaped[Tensor, " n"]) -> Float[Tensor, " n"]:
    """By how much the label is ahead of the best other class.

    Example:
        >>> margins(torch.tensor([[1.0, 4.0, 2.0]]), torch.tensor([1])).item()
        2.0
    """
    if is_score(out):
        return y * out.reshape(-1)
    own = out.gather(1, y[:, None])
    return (own - _others(out, y).amax(dim=1, keepdim=True))[:, 0]


def is_fooled(out: Float[Tensor, "n *k"], y: Shaped[Tensor, " n"]) -> Bool[Tensor, " n"]:
    """Whether the label is not strictly ahead; a tie or a NaN counts as fooled.

    Example:
        >>> is_fooled(torch.tensor([[1.0, 4.0], [1.0, 1.0]]), torch.tensor([1, 0])).tolist()
        [False, True]
    """
    return ~(margins(out, y) > 0)


def loss_slope(
    out: Float[Tensor, "n *k"], y: Shaped[Tensor, " n"], *, scaled: bool = False
) -> Float[Tensor, "n *k"]:
    """The direction of the loss's gradient in the outputs; the gradient itself if ``scaled``.

    Example:
        >>> loss_slope(torch.tensor([[1000.0, 0.0, 0.0]]), torch.tensor([0])).tolist()
        [[-1.0, 0.5, 0.5]]
    """
    if is_score(out):
        slope = -y.view_as(out).to(out.dtype)
        return slope * torch.sigmoid(slope * out) if scaled else slope
    column = y[:, None]
    slope = _others(out, y).softmax(dim=1).scatter_(1, column, -1.0)
    if not scaled:
        return slope
    # 1 - p_y as a sum of small numbers rather than a difference of large ones
    rest = out.softmax(dim=1).scatter(1, column, 0.0).sum(dim=1, keepdim=True)
    return rest * slope


def margin_slope(out: Float[Tensor, "n *k"], y: Shaped[Tensor, " n"]) -> Float[Tensor, "n *k"]:
    """The gradient of minus the margin: the best other class up, the label down.

    Example:
        >>> margin_slope(torch.tensor([[1.0, 4.0, 2.0]]), torch.tensor([1])).tolist()
        [[0.0, -1.0, 1.0]]
    """
    if is_score(out):
        return -y.view_as(out).to(out.dtype)
    best = _others(out, y).argmax(dim=1, keepdim=True)
    return torch.zeros_like(out).scatter_(1, best, 1.0).scatter_(1, y[:, None], -1.0)


def lead_of_others(out: Float[Tensor, "n *k"], y: Shaped[Tensor, " n"]) -> Float[Tensor, " n"]:
    r"""The log-odds of the other classes together, :math:`\log\sum_{j\ne y}e^{o_j}-o_y`.

    The loss is its softplus, so both rise and fall together; this one never rounds to 0.

    Example:
        >>> lead_of_others(torch.tensor([[1000.0, 0.0]]), torch.tensor([0])).item()
        -1000.0
    """
    if is_score(out):
        return -y * out.reshape(-1)
    return _others(out, y).logsumexp(dim=1) - out.gather(1, y[:, None])[:, 0]


def logit_ratio(out: Float[Tensor, "n k"], y: Shaped[Tensor, " n"]) -> Float[Tensor, " n"]:
    r"""Minus the margin, over the gap from the largest logit to the third largest.

    Known as DLR. Unlike loss and margin it does not change when all logits are scaled.

    Example:
        >>> out = torch.tensor([[1.0, 5.0, 3.0]])
        >>> logit_ratio(out, torch.tensor([1])).item()  # -(5 - 3) / (5 - 1)
        -0.5
    """
    if is_score(out) or out.shape[1] < 3:
        raise InputError("objective='dlr' needs at least three classes; use 'margin'")
    top = out.topk(3, dim=1).values
    return -margins(out, y) / (top[:, 0] - top[:, 2] + TINY_GAP)


def logit_ratio_towards(
    out: Float[Tensor, "n k"], y: Shaped[Tensor, " n"], rival: Shaped[Tensor, " n"]
) -> Float[Tensor, " n"]:
    r"""By how much ``rival`` is ahead of the label, as a ratio that scaling leaves alone.

    Over :math:`o_{(1)}-(o_{(3)}+o_{(4)})/2`; with fewer than four classes the difference alone.

    Example:
        >>> out = torch.tensor([[1.0, 5.0, 3.0, 3.0]])
        >>> logit_ratio_towards(out, torch.tensor([1]), torch.tensor([0])).item()  # -4 / (5 - 2)
        -1.3333333730697632
    """
    lead = (out.gather(1, rival[:, None]) - out.gather(1, y[:, None]))[:, 0]
    if out.shape[1] < 4:
        return lead
    top = out.topk(4, dim=1).values
    return lead / (top[:, 0] - (top[:, 2] + top[:, 3]) / 2 + TINY_GAP)


def is_score(out: Float[Tensor, "n *k"]) -> bool:
    """Whether there is one score per row rather than one per class.

    Example:
        >>> is_score(torch.zeros(5, 1)), is_score(torch.zeros(5, 2))
        (True, False)
    """
    return out.dim() == 1 or out.shape[1] == 1


def check_outputs(out: Tensor, y: Tensor) -> None:
    """Outputs and labels that fit each other; the message says which do."""
    fits = isinstance(out, Tensor) and out.is_floating_point() and out.dim() in (1, 2)
    if not fits or len(out) != len(y):
        shape = tuple(out.shape) if isinstance(out, Tensor) else type(out).__name__
        raise InputError(
            f"an attack needs logits (n, k) or scores (n,) for its n = {len(y)} inputs, but "
            f"the model returns {shape}; wrap the model so that it returns logits or scores"
        )
    if is_score(out):
        if not bool((y.abs() == 1).all()):
            raise InputError("a model with one score per row needs labels -1 and +1")
    elif y.is_floating_point() or not bool(((y >= 0) & (y < out.shape[1])).all()):
        raise InputError(
            f"a model with {out.shape[1]} logits needs whole class numbers from 0 to "
            f"{out.shape[1] - 1}, but the labels are {y.dtype} from {y.min():g} to {y.max():g}"
        )


def _others(out: Tensor, y: Tensor) -> Tensor:
    return out.scatter(1, y[:, None], -torch.inf)
