"""The errors of a linear model on the inputs: a reference that does not depend on the network."""

import torch
from torch import Tensor
from torch.nn import functional as F

from corollary.core import Batch, Count, Sample
from corollary.errors import NotApplicableError
from corollary.exams.class_targets import class_numbers

TOKENS = 1000  # different ids that are counted
FEATURES = 1024  # that are read at most
FOLDS = 2  # each half answers for the other
RIDGE = 0.1  # times the mean square of a feature and the samples: few samples have many features
LEVEL = 0.99


def linear_fit_generalises(batch: Batch) -> bool:
    """Whether a ridge regression on half of the samples predicts the classes of the other half.

    The regression must beat the most common class with 99 % confidence; False if there are no
    classes.
    """
    y = class_numbers(batch.target)
    if y is None or y.dim() != 1 or bool((y < 0).any()):
        return False
    try:
        return predict_targets(features_of(batch, FEATURES), y)
    except NotApplicableError:
        return False


def predict_targets(x: Tensor, target: object) -> bool:
    """Whether a ridge regression of rows on half of the samples helps with the other half.

    With 99 % confidence it names more classes than the most common one, or has smaller squared
    errors than the mean.

    Example:
        >>> x = torch.randn(200, 3, generator=torch.Generator().manual_seed(0))
        >>> predict_targets(x, x[:, :1] + 1), predict_targets(x, x[:, :1].roll(1, 0))
        (True, False)
    """
    if not isinstance(target, Tensor) or target.is_complex() or len(target) != len(x):
        return False
    x = x.cpu().double()
    spread = x.std(0, unbiased=False)
    x = ((x - x.mean(0)) / spread.clamp(min=1e-12))[:, spread > 0]
    target = target.cpu()
    y = class_numbers(target)
    if not bool(torch.isfinite(x).all()) or x.shape[1] == 0:
        return False
    if y is not None and (y.dim() != 1 or bool((y < 0).any())):
        return False
    rows = target.double() if y is None else F.one_hot(y, int(y.max()) + 1).double()
    rows = rows.reshape(len(rows), -1)
    scores, fold = torch.zeros_like(rows), torch.arange(len(x)) % FOLDS
    for k in range(FOLDS):
        scores[fold == k] = _fitted(x[fold != k], rows[fold != k], x[fold == k])
    if y is not None:
        hits = int((scores.argmax(1) == y).sum())
        return Count(hits, len(x)).read(LEVEL).low > float(y.bincount().max()) / len(x)
    gained = (rows - rows.mean(0)).square().sum(1) - (rows - scores).square().sum(1)
    return Sample(gained.tolist()).read(LEVEL).low > 0


def _fitted(x: Tensor, y: Tensor, other: Tensor) -> Tensor:
    """Targets of other rows by a ridge regression."""
    kernel = x @ x.T
    kernel.diagonal().add_(RIDGE * float(kernel.diagonal().mean()))
    weights: Tensor = torch.linalg.solve(kernel, y - y.mean(0))
    scores: Tensor = other @ (x.T @ weights) + y.mean(0)
    return scores


def features_of(batch: Batch, most: int) -> Tensor:
    """One row of numbers per sample: values of float inputs, counts of token ids.

    If there are more than twice as many columns as wanted, some are dropped.
    """
    parts = []
    for t in batch.tensors():
        if t.layout is not torch.strided or len(t) != batch.size:
            raise NotApplicableError("the inputs are not rows of numbers")
        flat = t.detach().reshape(len(t), -1)
        if t.is_floating_point():
            parts.append(flat.cpu().double())
        elif not t.is_complex() and int(flat.max()) < TOKENS and int(flat.min()) >= 0:
            counts = torch.zeros(len(flat), TOKENS, dtype=torch.float64)
            ids = flat.cpu().long()
            parts.append(counts.scatter_add_(1, ids, torch.ones_like(ids).double()))
    if not parts:
        raise NotApplicableError("the inputs are neither numbers nor token ids")
    rows = torch.cat(parts, 1)
    return rows if rows.shape[1] <= most else rows[:, :: rows.shape[1] // most]
