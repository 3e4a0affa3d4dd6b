"""Networks that compare two inputs: whether they give a distance or a similarity, and of what.

The number that such a network gives is no estimate of the label. Of two copies of one input it is
the smallest for a distance and the largest for a similarity; and in the data the pairs of one label
are nearer to each other than those of the other. Together they say which answers are right.
"""

from dataclasses import replace

import torch
from torch import Tensor

from corollary.core import Batch, Subject
from corollary.errors import CorollaryError
from corollary.exams.heads import Head

SAMPLES = 256
SURE = 4.0  # standard errors between the mean distances of the two labels


def larger_for_larger_label(subject: Subject, head: Head) -> bool | None:
    """Whether a right answer is larger for the larger label; None where the data do not say.

    Of a network that does not compare pairs, the answer is taken for an estimate of the label.
    """
    if not _two_labels(head):
        return True
    batch = subject.all_labelled().spread(SAMPLES)
    similarity = _similarity(subject, batch)
    if similarity is None:
        return None if head.low >= 0 and head.high > 1 and head.loss == "" else True
    alike = _larger_label_is_alike(batch)
    return None if alike is None else alike == similarity


def compares_pairs(subject: Subject, head: Head) -> bool:
    """Whether the network gives one number for the two parts of a sample."""
    if not _two_labels(head):
        return False
    return _similarity(subject, subject.all_labelled().spread(SAMPLES)) is not None


def _two_labels(head: Head) -> bool:
    target = head.batch.target
    return head.output.numel() == len(head.output) == target.numel() and len(target.unique()) == 2


def _halves(batch: Batch) -> tuple[Tensor, Tensor] | None:
    """The two parts of each sample: two inputs of one shape, or an axis of size two."""
    tensors = batch.tensors()
    if len(tensors) == 2 and tensors[0].shape == tensors[1].shape and tensors[0].dim() > 1:
        return tensors[0], tensors[1]
    if len(tensors) == 1 and tensors[0].dim() > 2 and tensors[0].shape[1] == 2:
        first, second = tensors[0].unbind(1)
        return first, second
    return None


def _similarity(subject: Subject, batch: Batch) -> bool | None:
    """True if copies have the largest answers, False if the smallest; None if neither."""
    halves = _halves(batch)
    if halves is None:
        return None
    first, _ = halves
    copies = (first, first) if len(batch.tensors()) == 2 else (torch.stack([first, first], 1),)
    try:
        with subject.borrowed(), torch.no_grad():
            own = subject.output(batch).cpu().double().flatten()
            same = subject.output(replace(batch, inputs=copies, named={})).cpu().double().flatten()
    except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
        return None
    if float(same.max()) <= float(own.min()):
        return False
    return True if float(same.min()) >= float(own.max()) else None


def _larger_label_is_alike(batch: Batch) -> bool | None:
    """Whether pairs of the larger label are nearer in the data; None if they do not differ."""
    halves, target = _halves(batch), batch.target.flatten()
    if halves is None or not halves[0].is_floating_point():
        return None
    apart = (halves[0] - halves[1]).cpu().double().flatten(1).norm(dim=1)
    large, small = apart[target == target.max()], apart[target == target.min()]
    if min(len(large), len(small)) < 8:
        return None
    error = (large.var() / len(large) + small.var() / len(small)).sqrt()
    gap = float((small.mean() - large.mean()) / error.clamp(min=1e-30))
    return None if abs(gap) < SURE else gap > 0
