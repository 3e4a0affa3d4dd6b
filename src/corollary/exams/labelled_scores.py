"""Scores and margins of a subject that gives one answer per sample."""

from torch import Tensor

from corollary.core import Batch, Subject
from corollary.errors import InputError, NotApplicableError
from corollary.exams.target_use import need_scores
from corollary.train.pac_bayes.holdout import head


def scores_of(subject: Subject, batch: Batch) -> tuple[Tensor, Tensor]:
    """Scores (n, k) with class numbers, or (n,) with labels -1 and 1.

    Raises:
        NotApplicableError: if the subject is not a classifier with one answer per sample.
    """
    output = subject.output(batch)
    if output.is_complex() or not isinstance(batch.target, Tensor):
        raise NotApplicableError("the module is not a classifier with one label per sample")
    target = batch.target
    if target.dim() == 2 and target.shape[1] == 1:
        target = target[:, 0]
    if target.is_floating_point() and not bool(((target.abs() == 1) | (target == 0)).all()):
        raise NotApplicableError("the targets are numbers, not classes")
    if output.dim() == 2 and output.shape[1] > 1 and target.dim() == 1:
        need_scores(subject, output, target)
    try:
        return head(output, target)
    except InputError as why:
        raise NotApplicableError(f"this exam is for one label per sample: {why}") from None


def margins_of(scores: Tensor, labels: Tensor) -> Tensor:
    """The score of the label minus the best score of another class.

    Example:
        >>> import torch
        >>> margins_of(torch.tensor([[1.0, 4.0, 2.0]]), torch.tensor([1])).item()
        2.0
        >>> margins_of(torch.tensor([3.0, 3.0]), torch.tensor([1.0, -1.0])).tolist()
        [3.0, -3.0]
    """
    from corollary.theory.robustness.scores import margins

    return margins(scores, labels)
