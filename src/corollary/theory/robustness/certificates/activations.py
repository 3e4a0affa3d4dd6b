r"""Lines below and above ReLU, its kin and clamps on an interval.

A function with a kink at 0, :math:`\max(x,ax)`, lies below its chord, and above the lines through 0
with slope 1 or a: the one nearer to the chord is taken (CROWN's adaptive choice). Functions that
bend otherwise are in :mod:`~corollary.theory.robustness.certificates.smooth`.

:source: Zhang, Weng, Chen, Hsieh and Daniel (2018), "Efficient neural network robustness
    certification with general activation functions", Table 2.
"""

import torch
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_no_nan
from corollary.theory.robustness.certificates.rows import Lines


def kinked_lines(lower: Tensor, upper: Tensor, a: Tensor | float) -> Lines:
    r"""Of max(x, ax) for a <= 1 (ReLU has a = 0, the absolute value -1), of min for a > 1.

    Example:
        >>> lines = kinked_lines(torch.tensor([-1.0]), torch.tensor([3.0]), 0.0)
        >>> lines.low.item(), lines.high.item(), round(lines.high_shift.item(), 4)
        (1.0, 0.75, 0.75)
    """
    a = torch.as_tensor(a, dtype=lower.dtype, device=lower.device)
    sure = torch.where(lower >= 0, 1.0, a)
    crossing = ~((lower >= 0) | (upper <= 0))  # so is what is not known, NaN
    width = (upper - lower).clamp_min(torch.finfo(lower.dtype).tiny)
    chord = torch.where(crossing, (upper - a * lower) / width, sure)
    touch = torch.where(upper > -lower, 1.0, a)
    touch = torch.where(crossing, touch, sure)
    # any slope will do between, as long as the line is on its side of both ends
    at_ends = (a - chord) * lower, (1 - chord) * upper
    reach = torch.maximum(-lower, upper)
    rounding = 4 * torch.finfo(lower.dtype).eps * (chord.abs() + a.abs()) * reach
    above = torch.where(crossing, torch.maximum(*at_ends) + rounding, 0.0)
    if bool((a <= 1).all()):
        return Lines(touch, chord, None, above)
    check_no_nan("the slope below zero", a)
    below = torch.where(crossing, torch.minimum(*at_ends) - rounding, 0.0)
    convex, zero = a <= 1, torch.zeros_like(above)
    return Lines(
        torch.where(convex, touch, chord),
        torch.where(convex, chord, touch),
        torch.where(convex, zero, below),
        torch.where(convex, above, zero),
    )


def clipped_lines(lower: Tensor, upper: Tensor, least: float, most: float) -> Lines:
    """Of clamp(x, least, most): chords past a corner, or the line through it that is nearer.

    Example:
        >>> lines = clipped_lines(torch.tensor([-1.0]), torch.tensor([2.0]), 0.0, 1.0)
        >>> lines.high.item(), round(lines.high_shift.item(), 4), lines.low.item()
        (0.5, 0.5, 0.5)
    """
    if not least <= most:
        raise InputError(f"clipping needs least <= most, got least={least}, most={most}")
    at_low, at_high = lower.clamp(least, most), upper.clamp(least, most)
    tiny = torch.finfo(lower.dtype).tiny
    below, above = ~(lower >= least), ~(upper <= most)  # NaN is both
    # above: from (lower, f) to the upper corner, or to (upper, f); past one corner only: the nearer
    end = torch.minimum(upper, torch.full_like(upper, most))
    rise = (end.clamp_min(least) - at_low) / (end - lower).clamp_min(tiny)
    nearer = (upper - most < most - lower).to(lower)
    high = torch.where(below, rise, torch.where(above, nearer, 1.0))
    start = torch.maximum(lower, torch.full_like(lower, least))
    fall = (at_high - start.clamp_max(most)) / (upper - start).clamp_min(tiny)
    nearer = (upper - least > least - lower).to(lower)
    low = torch.where(above, fall, torch.where(below, nearer, 1.0))
    flat = (upper <= least) | (lower >= most)
    high, low = high.masked_fill(flat, 0.0), low.masked_fill(flat, 0.0)
    kinks = [torch.full_like(lower, kink).clamp(lower, upper) for kink in (least, most)]
    corners = [lower, upper, *kinks]
    gaps = [[c.clamp(least, most) - s * c for c in corners] for s in (low, high)]
    size = torch.maximum(at_low.abs(), at_high.abs()) + torch.maximum(lower.abs(), upper.abs())
    rounding = 4 * torch.finfo(lower.dtype).eps * size  # slopes are at most 1
    return Lines(
        low, high, torch.stack(gaps[0]).amin(0) - rounding, torch.stack(gaps[1]).amax(0) + rounding
    )  # a piecewise linear function less a line is extreme at a corner
