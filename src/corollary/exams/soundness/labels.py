r"""Labels: range, balance and order.

Class indices must be among the outputs. A rare class seldom occurs in a batch. The share of each
class in the loss is read from the gradient of the loss, so class weights and ``ignore_index`` are
taken into account, and the trial run is repeated with balanced classes to see whether that matters.
Data sorted by label gives batches of one class each, whose gradients are far from the mean
gradient. The number of label changes between consecutive samples is therefore compared with a
random order, for which it has, for class shares :math:`p_c`, the mean :math:`(n-1)(1 - \sum_c
p_c^2)`.

:source: Wald and Wolfowitz (1940), "On a test whether two samples are from the same population".
:kind: exam
"""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import CorollaryError, NotApplicableError
from corollary.exams.class_balance import gain_of_balance, padding_in_words
from corollary.exams.class_targets import class_numbers
from corollary.exams.loss_shares import share_of_loss
from corollary.exams.readings import counted, rounded
from corollary.exams.target_use import targets_matter

RARE = 10.0  # the most common class this many times the rarest; common benchmarks stay below 3
FEWEST = 8  # samples below which one class or a rare one is a matter of chance
MOST = 0.5  # of all positions that have one label
SIGMAS = 6.0  # a random order is this far from its mean once in a billion data sets


class Labels(Exam):
    """Class indices of the data."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Range, balance and order."""
        target = class_numbers(subject.all_labelled().target)
        if target is None:
            raise NotApplicableError("the targets are not class indices")
        if len(target) < FEWEST:
            raise NotApplicableError(f"this exam needs at least {FEWEST} samples")
        if not targets_matter(subject):
            raise NotApplicableError("the loss does not depend on the labels")
        classes = self._classes(subject)
        ends = int(target.min()), int(target.max())
        inside = 0 <= ends[0] <= ends[1] < classes
        if classes and target.dim() == 1 and not inside and _refused(subject):
            yield self._out_of_range(target, classes)
            return
        counts = torch.bincount(target[target >= 0])
        seen = counts[counts > 0].cpu().double()
        if len(seen) < 2:
            yield self.finding(
                "One class only",
                severity=Severity.HIGH,
                evidence=Evidence.PREDICTED if _partly_frozen(subject) else Evidence.CONFIRMED,
                meaning=f"All {target.numel()} labels are the same.",
                advice="Shuffle the data before splitting it into batches, or check the loader.",
            )
            return
        yield self._balance(subject, budget, counts, positions=target.dim() > 1)
        if target.dim() == 1:
            yield self._order(target, seen, subject.in_order)

    def _classes(self, subject: Subject) -> int:
        with subject.borrowed(), torch.no_grad():
            output = subject.output(subject.data(2))
        return output.shape[-1] if output.dim() == 2 and output.shape[-1] > 1 else 0

    def _out_of_range(self, target: Tensor, classes: int) -> Finding:
        worst = int(target.max()) if int(target.max()) >= classes else int(target.min())
        return self.finding(
            "Labels outside the classes",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            quantity="a label",
            value=counted(worst),
            expected=f"0 to {classes - 1}",
            meaning=f"The network has {classes} outputs, and no output belongs to this label.",
            advice="Number the classes from 0, or give the network more outputs.",
        )

    def _balance(
        self, subject: Subject, budget: Budget, counts: Tensor, *, positions: bool
    ) -> Finding:
        """A rare class is a fault if neither the loss weights it nor the network learns it."""
        classes = counts.nonzero()[:, 0]
        shares = share_of_loss(subject, classes)
        weighted = counts[classes].cpu().double() if shares is None else shares
        classes, weighted = classes[weighted > 0], weighted[weighted > 0]  # some are left out
        rarest, frequent = int(classes[weighted.argmin()]), int(classes[weighted.argmax()])
        ratio = float(counts[frequent] / counts[rarest])
        # Of positions, as of words, some classes are rare by nature; one that is most of them is
        # another matter.
        one_class = float(weighted.max() / weighted.sum()) > MOST
        rare = float(weighted.max() / weighted.min()) > RARE and (not positions or one_class)
        padding = padding_in_words(subject, frequent) if rare else ""
        lost = gain_of_balance(subject, budget, frequent if padding else None) if rare else ""
        return self.finding(
            ("Padding counts in the loss" if padding else "A class is rare")
            if rare
            else "Balance of the classes",
            severity=(Severity.MEDIUM if lost else Severity.LOW) if rare else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            quantity=f"samples of class {frequent} / samples of class {rarest}",
            value=rounded(ratio),
            expected=f"at most {RARE:g}, unless the loss weights the classes",
            meaning=f"{padding or 'The rarest class hardly affects the loss.'} {lost}".strip()
            if rare
            else "No class is rare, or the loss compensates for rare classes.",
            advice=""
            if not rare
            else f"Leave padding out of the loss: ignore_index={frequent}, or a mask."
            if padding
            else "Weight the loss by class, or sample rare classes more often.",
            change=""
            if not rare
            else f"+ nn.CrossEntropyLoss(ignore_index={frequent})"
            if padding
            else "+ nn.CrossEntropyLoss(weight=counts.sum() / counts)",
            explains=("generalization/*", "trainability/what_helps") if lost else (),
        )

    def _order(self, target: Tensor, counts: Tensor, loaded: bool) -> Finding:
        """The order of a loader is that of training; the order of tensors need not be."""
        n = len(target)
        changes = int((target[1:] != target[:-1]).sum())
        alike = float((counts / n).pow(2).sum())
        mean = (n - 1) * (1 - alike)
        deviation = math.sqrt(max((n - 1) * alike * (1 - alike), 1e-12))
        z = (changes - mean) / deviation
        ordered = z < -SIGMAS
        return self.finding(
            "The data is sorted by label" if ordered else "Order of the labels",
            severity=(Severity.MEDIUM if loaded else Severity.LOW) if ordered else Severity.NONE,
            remedy="shuffled order",
            value=counted(changes),
            unit="label changes between consecutive samples",
            expected=f"about {mean:.0f} for samples in random order",
            meaning="Unless the data is shuffled, each batch holds a single class."
            if ordered
            else "The labels are well mixed.",
            advice="Shuffle the data, as DataLoader(..., shuffle=True) does." if ordered else "",
        )


def _refused(subject: Subject) -> bool:
    """Whether the loss does not take these labels; outputs that are no scores take any."""
    batch = subject.all_labelled()
    try:
        with subject.borrowed(), torch.no_grad():
            output = subject.output(batch.slice(slice(0, 2)))
            shape = (batch.size, *output.shape[1:])
            value = subject.loss_of(torch.zeros(shape).to(output), batch.target)
    except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
        return True
    return not math.isfinite(float(value))


def _partly_frozen(subject: Subject) -> bool:
    """Whether some weights are fixed, as of a discriminator that a generator is trained against."""
    return len({p.requires_grad for p in subject.model.parameters()}) == 2
