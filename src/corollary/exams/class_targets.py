"""Class targets in their usual forms: class numbers, one-hot rows, zeros and ones."""

import torch
from torch import Tensor

from corollary.core import Subject
from corollary.errors import CorollaryError


def as_classes(target: Tensor) -> Tensor:
    """Class numbers for float targets that encode classes; other targets unchanged.

    Targets encode classes if they are zeros and ones: one per sample, or a single one per row.

    Example:
        >>> as_classes(torch.tensor([[0.0, 1.0], [1.0, 0.0]])).tolist()
        [1, 0]
        >>> as_classes(torch.tensor([0.5, 1.0])).tolist()
        [0.5, 1.0]
    """
    binary = target.is_floating_point() and bool(((target == 0) | (target == 1)).all())
    if not binary:
        return target
    if target.dim() == 2 and target.shape[1] > 1:
        return target.argmax(1) if bool((target.sum(1) == 1).all()) else target.long()
    return target.long()


def class_numbers(target: object) -> Tensor | None:
    """Class numbers, also of one-hot rows and of each position; None for other targets."""
    if not isinstance(target, Tensor):
        return None
    target = as_classes(target)
    if target.is_floating_point() or target.dim() == 0 or target.is_complex():
        return None
    return target[:, 0] if target.dim() == 2 and target.shape[1] == 1 else target


def class_axis(output: Tensor, target: Tensor) -> int | None:
    """The axis of an output along which the classes of integer targets lie; None if there is none.

    Example:
        >>> class_axis(torch.zeros(8, 5, 3), torch.zeros(8, 5, dtype=torch.long))
        2
        >>> class_axis(torch.zeros(8, 3, 5), torch.zeros(8, 5, dtype=torch.long))
        1
    """
    if target.is_floating_point() or output.dim() != target.dim() + 1:
        return None
    for axis in (output.dim() - 1, 1):
        rest = output.shape[:axis] + output.shape[axis + 1 :]
        if rest == target.shape and output.shape[axis] > 1:
            return axis
    return None


def classes_last(subject: Subject, output: Tensor, target: object) -> Tensor:
    """The output with its class axis moved to the end; unchanged if it has none.

    If the sizes leave open which axis it is, the loss decides: a loss of logits does not change
    when a constant is added to the scores of all classes.
    """
    if not isinstance(target, Tensor):
        return output
    axis = class_axis(output, target)
    if axis is None or output.dim() < 3:
        return output
    both = axis != 1 and output.movedim(1, -1).shape[:-1] == target.shape
    if both:
        add = torch.randn(target.shape, generator=subject.rng("axis")).to(output)
        try:
            with torch.no_grad():
                plain, last, first = (
                    float(subject.loss_of(output.detach() + part, target))
                    for part in (
                        torch.zeros_like(add).unsqueeze(1),
                        add.unsqueeze(-1),
                        add.unsqueeze(1),
                    )
                )
        except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
            return output
        axis = 1 if abs(first - plain) < abs(last - plain) else axis
    return output.movedim(axis, -1)
