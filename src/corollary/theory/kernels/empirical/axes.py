"""Where the samples stand in what a layer receives.

A layer may see them along another axis (time first), or flattened together with places. Running the
module on one sample and on two tells: what the layer received for the first sample alone must be
found again in what it received for both.
"""

from collections.abc import Callable

import torch
from torch import Tensor

# (t, n, lead) to t with its n samples along the first axis after the leading ones
Arrange = Callable[[Tensor, int, int], Tensor]


def arrangement(a: Tensor, alone: Tensor, n: int, *, samples_first: bool = False) -> Arrange | None:
    """How to bring the samples of a to the first axis; None where it cannot be told.

    Args:
        a: What a layer received for n samples.
        alone: What it received for the first of them.
        n: How many samples.
        samples_first: Whether they must stand there already.

    Example:
        >>> time_first = torch.arange(6.0).view(3, 2, 1)  # three times, two samples
        >>> arrange = arrangement(time_first, time_first[:, :1], 2)
        >>> arrange(time_first, 2, 0).shape
        torch.Size([2, 3, 1, 1])
    """
    if samples_first:
        there = a.shape == (n, *alone.shape[1:]) and len(alone) == 1
        return (lambda t, n, lead: t) if there else None
    if n == 1:
        return (lambda t, n, lead: t.unsqueeze(lead)) if a.shape == alone.shape else None
    if a.dim() != alone.dim():
        return None
    differs = [k for k in range(a.dim()) if a.shape[k] != alone.shape[k]]
    if len(differs) != 1 or a.shape[differs[0]] != n * alone.shape[differs[0]]:
        return None
    k, places = differs[0], alone.shape[differs[0]]
    ways = _sample_first(k, places), _place_first(k, places)
    fits = [way for way in ways if _same(way(a, n, 0)[0], alone)]
    return fits[0] if len(fits) == 1 or (fits and places == 1) else None


def _sample_first(k: int, places: int) -> Arrange:
    def arrange(t: Tensor, n: int, lead: int) -> Tensor:
        if places == 1 and k == 0:
            return t.unsqueeze(lead + 1)
        return torch.unflatten(t, lead + k, (n, places)).movedim(lead + k, lead)

    return arrange


def _place_first(k: int, places: int) -> Arrange:
    def arrange(t: Tensor, n: int, lead: int) -> Tensor:
        return torch.unflatten(t, lead + k, (places, n)).movedim(lead + k + 1, lead)

    return arrange


def _same(first: Tensor, alone: Tensor) -> bool:
    if not alone.is_floating_point():
        return torch.equal(first, alone)
    tolerance: float = 10 * torch.finfo(alone.dtype).eps ** 0.5
    return float((first - alone).norm()) <= tolerance * float(alone.norm())
