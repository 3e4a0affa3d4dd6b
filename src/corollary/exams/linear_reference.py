"""What a linear model finds in the inputs: a reference that does not depend on the network."""

import torch
from torch import Tensor

from corollary.core import Batch, Count
from corollary.errors import NotApplicableError
from corollary.exams.class_targets import class_numbers

TOKENS = 1000  # different ids that are counted
FEATURES = 1024  # that are read at most
FOLDS = 2  # each half answers for the other
RIDGE = 0.1  # times the mean square of a feature and the samples: few samples have many features
LEVEL = 0.99


def linear_fit_generalises(batch: Batch) -> bool:
    """Whether a ridge regression on half of the samples predicts the classes of the other half.

    It must beat the most common class with 99 % confidence; False if there are no classes.
    """
    y = class_numbers(batch.target)
    if y is None or y.dim() != 1 or bool((y < 0).any()):
        return False
    try:
        x = features_of(batch, FEATURES)
    except NotApplicableError:
        return False
    if not bool(torch.isfinite(x).all()):
        return False
    spread = x.std(0, unbiased=False)
    x = ((x - x.mean(0)) / spread.clamp(min=1e-12))[:, spread > 0]
    fold, hits = torch.arange(len(x)) % FOLDS, 0
    for k in range(FOLDS):
        named = _fitted(x[fold != k], y[fold != k], x[fold == k])
        hits += int((named == y[fold == k]).sum())
    return Count(hits, len(y)).read(LEVEL).low > float(y.bincount().max()) / len(y)


def _fitted(x: Tensor, y: Tensor, other: Tensor) -> Tensor:
    """Classes of other rows by a ridge regression on one-hot labels."""
    hot = torch.nn.functional.one_hot(y, int(y.max()) + 1).double()
    kernel = x @ x.T
    kernel.diagonal().add_(RIDGE * float(kernel.diagonal().mean()))
    weights: Tensor = torch.linalg.solve(kernel, hot - hot.mean(0))
    scores: Tensor = other @ (x.T @ weights) + hot.mean(0)
    return scores.argmax(1)


def features_of(batch: Batch, most: int) -> Tensor:
    """One row of numbers per sample: values of float inputs, counts of token ids.

    If there are more than twice as many as wanted, some are left out.
    """
    parts = []
    for t in batch.tensors():
        if t.layout is not torch.strided or len(t) != batch.size:
            raise NotApplicableError("the inputs are not rows of numbers")
        flat = t.detach().reshape(len(t), -1)
        if t.is_floating_point():
            parts.append(flat.double())
        elif not t.is_complex() and int(flat.max()) < TOKENS and int(flat.min()) >= 0:
            counts = torch.zeros(len(flat), TOKENS, dtype=torch.float64)
            parts.append(counts.scatter_add_(1, flat.long(), torch.ones_like(flat).double()))
    if not parts:
        raise NotApplicableError("the inputs are neither numbers nor token ids")
    rows = torch.cat(parts, 1)
    return rows if rows.shape[1] <= most else rows[:, :: rows.shape[1] // most]
