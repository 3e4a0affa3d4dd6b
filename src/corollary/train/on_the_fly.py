r"""Data that are drawn anew at each step: transformed inputs, noisy targets.

Both are ways to value a batch, for the option ``call`` of :func:`corollary.train.fit`, whose noise
is a function of the seed and the step: a run with them is reproducible and resumable.

:source: Perez Jensen (2025), Deep Learning, Sections 8.7 and 8.8; Bishop (1995), "Training with
    noise is equivalent to Tikhonov regularization".
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.train.objective import Loss, compare


class Augmented:
    """Each row of a batch goes through one transformation, drawn uniformly.

    The mean over the draws is the loss of the data set under every transformation
    (:func:`corollary.data.augmentation.augmented`), for losses that add over rows. Only the first
    input is transformed.

    Args:
        transforms: Functions of a batch; put the identity among them to see the data as they are.
        call: How the transformed batch is valued.

    Example:
        >>> from corollary.data.augmentation import flips
        >>> Augmented(flips()).count
        4

    :covers: data-augmentation
    """

    def __init__(
        self,
        transforms: Sequence[Callable[[Tensor], Tensor]],
        call: Callable[..., Any] = compare,
    ) -> None:
        if not transforms:
            raise InputError("at least one transformation is needed")
        self.transforms, self.call = tuple(transforms), call

    @property
    def count(self) -> int:
        """Number of transformations."""
        return len(self.transforms)

    def __call__(self, model: nn.Module, loss: Loss, *batch: Tensor) -> Any:
        """Draw, transform, and value."""
        x = batch[0]
        drawn = torch.randint(self.count, (len(x),)).to(x.device)
        return self.call(model, loss, self.transformed(x, drawn), *batch[1:])

    def transformed(self, x: Tensor, drawn: Tensor) -> Tensor:
        """Row i under transformation number ``drawn[i]``."""
        parts = [(drawn == k).nonzero()[:, 0] for k in range(self.count)]
        used = [
            (f(x[rows]), rows) for f, rows in zip(self.transforms, parts, strict=True) if len(rows)
        ]
        out = torch.cat([values for values, _ in used])
        return out[torch.cat([rows for _, rows in used]).argsort()]


class LabelNoise:
    r"""Real targets with normal noise of standard deviation ``sigma``: smoothing for regression.

    The squared loss gains :math:`\sigma^2` in the mean and keeps its minimiser; other losses are
    smoothed in the target.

    Example:
        >>> LabelNoise(0.1).sigma
        0.1

    :covers: label-smoothing
    """

    def __init__(self, sigma: float, call: Callable[..., Any] = compare) -> None:
        if not 0 <= sigma < float("inf"):
            raise InputError(f"sigma must be a number >= 0, got {sigma}")
        self.sigma, self.call = sigma, call

    def __call__(self, model: nn.Module, loss: Loss, *batch: Tensor) -> Any:
        """Add noise to the last tensor of the batch, and value."""
        y = batch[-1]
        if len(batch) < 2 or not y.is_floating_point():
            raise InputError("label noise needs real targets; for classes use LabelSmoothing")
        return self.call(model, loss, *batch[:-1], y + self.sigma * torch.randn_like(y))
