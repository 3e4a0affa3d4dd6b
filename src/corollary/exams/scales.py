"""Size and mean of the inputs, and their healthy range."""

import math
from typing import NamedTuple

from torch import Tensor

from corollary.core import Batch
from corollary.core.nested import tensors_in

# Healthy inputs (standardised tables, images in [0, 1] such as MNIST and Fashion-MNIST, one-hot
# and tf-idf codes) have a root mean square from 0.02 to 1.3 and a mean of at most 1.1 standard
# deviations. The limits leave an order of magnitude of size and three times the offset.
SMALLEST, LARGEST, OFFSET = 2e-3, 13.0, 3.3


class Scale(NamedTuple):
    """Size, spread and mean over all values of an input."""

    size: float  # root mean square
    spread: float  # standard deviation
    mean: float

    @property
    def offset(self) -> float:
        """Standard deviations between the mean and zero."""
        return abs(self.mean) / self.spread if self.spread > 0 else math.inf

    @property
    def healthy(self) -> bool:
        """Whether size and offset are within the limits."""
        return SMALLEST <= self.size <= LARGEST and self.offset <= OFFSET


def float_inputs(batch: Batch) -> dict[str, Tensor]:
    """The floating-point inputs by name or number, including those in lists and dicts."""
    named = {f"input {i}": v for i, v in enumerate(batch.inputs)} | batch.named
    every = {k: list(tensors_in(v)) for k, v in named.items()}
    flat = {
        k if len(found) == 1 else f"{k}[{i}]": t
        for k, found in every.items()
        for i, t in enumerate(found)
    }
    return {k: t for k, t in flat.items() if t.is_floating_point() and t.numel() > 0}


def scale_of(x: Tensor) -> Scale:
    """Size, spread and mean of all values.

    Example:
        >>> import torch
        >>> scale_of(torch.tensor([3.0, 5.0]))
        Scale(size=4.123105625617661, spread=1.0, mean=4.0)
    """
    x = x.detach().cpu().double()
    return Scale(float(x.pow(2).mean().sqrt()), float(x.std(unbiased=False)), float(x.mean()))
