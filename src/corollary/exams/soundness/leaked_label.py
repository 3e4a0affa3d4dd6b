r"""A feature that reveals the label.

If a column of the inputs determines the target exactly, it was computed from the target or is the
target itself: left in the table, filled in afterwards, or the number of the file. The network then
relies on this column alone, and fails where the column is missing. The exam looks for columns with
one value per class, and columns that equal the target up to scale and offset. A column with a
threshold between the classes is not reported: that is an easy task.

:source: Kaufman, Rosset, Perlich and Stitelman (2012), "Leakage in data mining: formulation,
    detection, and avoidance", Section 4.
:kind: exam
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Batch, Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.class_targets import class_numbers
from corollary.exams.readings import counted

FEWEST = 32  # samples
SAME = 1 - 1e-6  # correlation of a copy, but for rounding of single precision
EXPLAINS = ("generalization/*", "function/*", "learning/*", "soundness/shift")


class LeakedLabel(Exam):
    """Columns that determine the target by themselves."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The exam is for tables of numbers with one target per row."""
        x, y = _table(subject.all_labelled())
        found = telling_columns(x, y)
        yield self.finding(
            "A feature reveals the target" if found else "No feature reveals the target",
            severity=Severity.MEDIUM if found else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            where=f"feature {found[0]}" if found else "",
            value=counted(len(found)),
            unit=f"of {x.shape[1]} features determine the target on their own",
            expected="0",
            meaning=f"In all {len(x)} samples, the value of input feature {found[0]} "
            "determines the target exactly: the label leaks into the "
            f"inputs.{_held(subject, found)}"
            if found
            else "No feature has exactly one value per class, and no feature equals the "
            "target up to scale and offset.",
            advice=f"If the value of feature {found[0]} is not known before the target (data "
            "leakage), remove this feature from the inputs."
            if found
            else "",
            change=f"+ x = numpy.delete(x, {found[0]}, axis=1)" if found else "",
            explains=EXPLAINS if found else (),
        )


def telling_columns(x: Tensor, y: Tensor) -> list[int]:
    """Columns of a table that determine the target, by their values or by a linear function.

    Example:
        >>> y = torch.tensor([0, 1, 1, 0])
        >>> telling_columns(torch.stack([torch.tensor([3.0, 5, 5, 3]), torch.randn(4)], 1), y)
        [0]
    """
    if not y.is_floating_point():
        classes = y.unique(return_inverse=True)[1]
        return [c for c in range(x.shape[1]) if _one_to_one(x[:, c], classes)]
    rows = x - x.mean(0)
    target = y - y.mean()
    scale = rows.norm(dim=0) * target.norm()
    same = (rows * target[:, None]).sum(0).abs() / scale.clamp(min=1e-300)
    return [int(c) for c in ((same > SAME) & (scale > 0)).nonzero()[:, 0]]


def _one_to_one(column: Tensor, classes: Tensor) -> bool:
    values, which = column.unique(return_inverse=True)
    if len(values) != int(classes.max()) + 1:
        return False
    return len((which * len(values) + classes).unique()) == len(values)


def _table(batch: Batch) -> tuple[Tensor, Tensor]:
    """Rows of numbers, with one target per row."""
    inputs, y = batch.tensors(), batch.target
    if len(inputs) != 1 or not inputs[0].is_floating_point() or inputs[0].dim() != 2:
        raise NotApplicableError("this exam is for inputs that are one table of numbers")
    classes = class_numbers(y)
    target = classes if classes is not None else y
    if not isinstance(target, Tensor) or target.numel() != batch.size or batch.size < FEWEST:
        raise NotApplicableError(f"this exam needs at least {FEWEST} samples with one target each")
    x, target = inputs[0].detach().cpu().double(), target.detach().cpu().flatten()
    if x.shape[1] < 2 or len(target.unique()) < 2 or not bool(torch.isfinite(x).all()):
        raise NotApplicableError("this exam needs several features, and targets that differ")
    return x, target.cpu().double() if target.is_floating_point() else target


def _held(subject: Subject, found: list[int]) -> str:
    """A sentence on whether the same holds for the held-out data."""
    if subject.held_out is None or not found:
        return ""
    try:
        same = found[0] in telling_columns(*_table(subject.held_out))
    except NotApplicableError:
        return ""
    return "" if same else " In the held-out data, this feature does not determine the target."
