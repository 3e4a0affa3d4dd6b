"""The loss of the best constant answer, which a network that reads its input has to beat."""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Batch, Subject
from corollary.errors import CorollaryError
from corollary.exams.class_targets import class_axis
from corollary.exams.target_use import targets_matter

RARE = 1e-6  # the smallest share: its logarithm is finite


def constant_loss(subject: Subject, batch: Batch) -> float:
    """The smallest loss of outputs that are the same for all samples; infinite if it is not known.

    The candidates are the mean of the targets, its logit, and the logarithms of the class shares
    (the shares themselves where the outputs are probabilities); those that the loss does not
    accept are skipped. Without targets that differ and count there is nothing to compare with.
    """
    target = batch.target
    if not isinstance(target, Tensor) or target.numel() == 0:
        return math.inf
    if bool((target == target.flatten()[0]).all()) or not targets_matter(subject):
        return math.inf  # a constant answers all that is asked, as of pairs and of generators
    found = [math.inf]
    with subject.borrowed(), torch.no_grad():
        try:
            output = subject.output(batch)
        except (CorollaryError, RuntimeError, ValueError):
            return math.inf
        for constant in _constants(output, target):
            try:
                value = float(subject.loss_of(constant.to(output), target))
            except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
                continue  # not what this loss takes
            found.append(value if math.isfinite(value) else math.inf)
    return min(found)


def _constants(output: Tensor, target: Tensor) -> Iterator[Tensor]:
    if target.is_floating_point():
        if output.numel() != target.numel():
            return
        mean = target.mean(0).expand_as(target).reshape(output.shape)
        if _log_shares(output):
            yield mean.clamp(min=RARE).log()
            return
        yield mean
        if bool(((target >= 0) & (target <= 1)).all()):
            yield mean.clamp(RARE, 1 - RARE).logit()
        return
    axis = class_axis(output, target)
    if axis is None:
        if output.numel() == target.numel():
            mean = target.to(output.dtype).mean().expand(output.shape)
            yield mean
            if bool(((target >= 0) & (target <= 1)).all()):
                yield mean.clamp(RARE, 1 - RARE).logit()
        return
    counted = target[target >= 0]  # -100 marks what does not count
    share = torch.bincount(counted, minlength=output.shape[axis]) / max(counted.numel(), 1)
    if len(share) > output.shape[axis]:
        return
    shape = [1] * output.dim()
    shape[axis] = -1
    share = share.clamp(min=RARE).reshape(shape).expand(output.shape)
    total = output.cpu().double().sum(axis)
    shares = bool((output >= 0).all()) and bool(((total - 1).abs() < 1e-3).all())
    yield share if shares else share.log()


def _log_shares(output: Tensor) -> bool:
    """Whether the outputs are logarithms of shares."""
    if output.dim() < 2 or output.shape[-1] < 2 or bool((output > 0).any()):
        return False
    return bool(((output.cpu().double().exp().sum(-1) - 1).abs() < 1e-3).all())


def least_loss(subject: Subject, batch: Batch) -> float:
    """The loss of answers equal to the targets, a lower bound for every training.

    For targets that are probabilities it is their entropy; zero where it is not known.
    """
    target = batch.target
    if not isinstance(target, Tensor) or not target.is_floating_point() or target.numel() == 0:
        return 0.0
    if not bool(((target >= 0) & (target <= 1)).all()):
        return 0.0
    found = []
    with subject.borrowed(), torch.no_grad():
        try:
            output = subject.output(batch)
            exact = target.reshape(output.shape).to(output)
        except (CorollaryError, RuntimeError, ValueError):
            return 0.0
        safe = exact.clamp(RARE, 1 - RARE)
        for answer in [safe.log()] if _log_shares(output) else [exact, safe.logit(), safe.log()]:
            try:
                found.append(float(subject.loss_of(answer, target)))
            except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
                continue  # not what this loss takes
    known = [value for value in found if math.isfinite(value)]
    return max(0.0, min(known, default=0.0))
