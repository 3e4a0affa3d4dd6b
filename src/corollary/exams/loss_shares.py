"""The share of the loss that each class has, and the classes that the loss ignores."""

import math

import torch
from torch import Tensor

from corollary.core import Subject
from corollary.errors import CorollaryError
from corollary.exams.class_targets import class_axis, class_numbers

MANY = 1000  # classes: of more, single ones are not asked for
NUMBERS = 10_000_000  # of outputs that are looked at
DRAWN = (0.01, 0.1, 1.0, 1.0, 10.0)  # sizes of random outputs


def share_of_loss(subject: Subject, classes: Tensor) -> Tensor | None:
    """The share of the loss of each class: the length of the gradient in its outputs.

    Outputs are the same for all samples, so what differs is how often a class occurs and how the
    loss weights it. None if the loss cannot be evaluated on such outputs.
    """
    if len(classes) > MANY:
        return None
    with subject.borrowed(), torch.no_grad():
        output = subject.output(subject.data(2))
    batch = subject.all_labelled().spread(max(2, NUMBERS // max(output[0].numel(), 1)))
    target = class_numbers(batch.target)
    assert target is not None, "asked before"
    with subject.borrowed():
        axis = class_axis(output, batch.target[:2]) if output.dim() > target.dim() else None
        shape = (len(target), *output.shape[1:])
        constant = torch.zeros(shape, dtype=output.dtype, device=output.device)
        if axis is not None:
            constant = constant - math.log(output.shape[axis])  # also right for likelihoods
        constant.requires_grad_(True)
        try:
            (slope,) = torch.autograd.grad(subject.loss_of(constant, batch.target), constant)
        except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
            return None
    lengths, target, classes = slope.cpu().double().abs(), target.cpu(), classes.cpu()
    lengths = lengths.sum(axis) if axis is not None else lengths.reshape(len(target), -1).sum(1)
    if lengths.shape != target.shape or not bool(torch.isfinite(lengths).all()):
        return None
    missing = [c for c in classes.tolist() if not bool((target == c).any())]
    if missing:
        return None  # too few samples to ask for all classes
    return torch.stack([lengths[target == c].sum() for c in classes])


def counting_samples(subject: Subject, output: Tensor, target: Tensor) -> Tensor | None:
    """Which samples affect the loss: some random output has a gradient. None if it is not known.

    Both small and large outputs are drawn, because a margin loss has no gradient beyond its
    margin.
    """
    rng = subject.rng("counting samples")
    counts = torch.zeros(len(output), dtype=torch.bool)
    for size in DRAWN:
        drawn = (size * torch.randn(output.shape, generator=rng)).to(output).requires_grad_(True)
        try:
            with torch.enable_grad():
                (slope,) = torch.autograd.grad(subject.loss_of(drawn, target), drawn)
        except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
            return None
        counts |= (slope.reshape(len(slope), -1).abs().amax(1) > 0).cpu()
    return counts


def ignored_classes(subject: Subject) -> tuple[int, ...]:
    """Classes that occur but are ignored by the loss, by ``ignore_index`` or a weight of 0."""
    if "ignored classes" not in subject.memo:
        subject.memo["ignored classes"] = _found(subject)
    found: tuple[int, ...] = subject.memo["ignored classes"]
    return found


def _found(subject: Subject) -> tuple[int, ...]:
    target = None if subject.batch is None else class_numbers(subject.batch.target)
    if target is None:
        return ()
    classes = target[target >= 0].unique()
    if not 1 < len(classes) <= MANY or not _has_scores(subject, target):
        return ()
    shares = share_of_loss(subject, classes)
    if shares is None or not bool(shares.any()):
        return ()
    return tuple(int(c) for c in classes.cpu()[shares == 0])


def _has_scores(subject: Subject, target: Tensor) -> bool:
    """Whether every class has its own output; a single output has no gradient where it is right."""
    few = subject.data(2)
    with subject.borrowed(), torch.no_grad():
        return class_axis(subject.output(few), target[: few.size]) is not None
