r"""Margins of a last dense layer over an interval, without a form for each.

For :math:`z=Wx+b` and :math:`x\in[c-r,c+r]` the smallest margin is

.. math:: \min_x(z_y-z_j)=(Wc+b)_y-(Wc+b)_j-\langle|W_y-W_j|,r\rangle ,

which is larger than the difference of the intervals of :math:`z_y` and :math:`z_j`. The middle is a
forward pass, and the products with all pairs of rows are one matrix product, so nothing as large as
a form per sample and class is ever held.

Rounding: middle and network are each off by at most what the layer owes for each of the two rows,
and r pays for being rounded itself (see
:mod:`~corollary.theory.robustness.certificates.rounding`).

:source: Gowal et al. (2018), "On the effectiveness of interval bound propagation for training
    verifiably robust models", Section 3, who call it elision of the last layer.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from corollary.theory.robustness.certificates.backward import lowest
from corollary.theory.robustness.certificates.region import Interval, Region
from corollary.theory.robustness.certificates.rounding import gamma, lowered
from corollary.theory.robustness.certificates.rows import Rows
from corollary.theory.robustness.certificates.steps import Linear, Step
from corollary.theory.robustness.certificates.weighted import Dense
from corollary.theory.robustness.scores import check_outputs, is_score

CLASSES = 32  # from which on all pairs of rows are more work than forms


def short_margins(
    steps: Sequence[Step], known: Sequence[Interval], end: int, y: Tensor, region: Region
) -> Tensor:
    """Bounds on the margins against every other class, by the last affine layers: (n, others)."""
    out, last = known[end].lower, last_dense(steps, end)
    if last is None:
        rows = differences(out, y)
        return lowest(steps, known, end, rows, region, affine_only=True).view(len(y), -1)
    check_outputs(out, y)
    every = dense_margins(last, known[last.inputs[0]], known[end], y)
    return every.gather(1, others(y, every.shape[1]))


def differences(out: Tensor, y: Tensor) -> Rows:
    """Forms of the outputs: that of the label less every other one."""
    check_outputs(out, y)
    n = len(y)
    if is_score(out):  # one score, labels -1 and +1
        return Rows(y.to(out).view(out.shape), n)
    k = out.shape[1]
    eye = torch.eye(k, dtype=out.dtype, device=out.device)
    return Rows((eye[y][:, None] - eye[others(y, k)]).reshape(-1, k), n)


def others(y: Tensor, k: int) -> Tensor:
    """All classes but the label, in their order: (n, k - 1).

    Example:
        >>> others(torch.tensor([0, 2]), 3).tolist()
        [[1, 2], [0, 1]]
    """
    places = torch.arange(k - 1, device=y.device).expand(len(y), k - 1)
    return places + (places >= y[:, None])


def last_dense(steps: Sequence[Step], end: int) -> Dense | None:
    """The dense layer that gives the logits ``end`` right after a bend; None if there is none."""
    step = steps[end - 1] if end else None
    if not isinstance(step, Dense) or len(step.call.shape) != 1:
        return None
    if not 2 <= step.call.shape[0] <= CLASSES:
        return None
    before = step.inputs[0]
    while before and isinstance(made := steps[before - 1], Linear) and made.reshapes:
        before = made.inputs[0]
    return step if before and not steps[before - 1].affine else None


def dense_margins(step: Dense, v: Interval, logits: Interval, y: Tensor) -> Tensor:
    """Lower bounds on the margins of the label against every class, 0 or less for itself: (n, k).

    Args:
        step: The layer.
        v: What goes into it.
        logits: What comes out of it, which knows what is owed.
        y: Labels.
    """
    k = step.weight.shape[0]
    labels = y[:, None]
    middle, radius = v.padded(0) if step.rounded else (v.middle, v.radius)
    z = step.product(step.weight, middle, step.bias)  # (n, k)
    pairs = (step.weight[:, None] - step.weight).abs().flatten(0, 1)  # (k k, in)
    spread = step.product(pairs, radius).view(len(y), k, k)
    spread = spread.gather(1, labels[:, None].expand(-1, 1, k))[:, 0]
    found = z.gather(1, labels) - z - spread
    if logits.owed is None:
        return found
    g = gamma(step.terms[0] + 16, z.dtype)
    owed = logits.owed.expand_as(z)
    paid = 2 * (1 + g) * (owed.gather(1, labels) + owed) + g * spread
    return lowered(found - paid)
