r"""Labels: range, balance and order.

Class indices must be among the outputs. A rare class is seldom seen in a batch. And data sorted by
label gives batches of one class each, whose gradients are far from the mean: the number of label
changes along the data is compared with that of a random order, which for class shares
:math:`p_c` has mean :math:`(n-1)(1 - \sum_c p_c^2)`.

:source: Wald and Wolfowitz (1940), "On a test whether two samples are from the same population".
:kind: exam
:cost: instant
"""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import counted, rounded

RARE = 10.0  # the most common class this many times the rarest; common benchmarks stay below 3
FEWEST = 8  # samples below which one class or a rare one is a matter of chance
SIGMAS = 6.0  # a random order is this far from its mean once in a billion data sets


class Labels(Exam):
    """Class indices of the data."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Range, balance and order."""
        target = subject.labelled().target
        if not isinstance(target, Tensor) or target.is_floating_point() or target.dim() != 1:
            raise NotApplicableError("the targets are not one class index for each sample")
        if len(target) < FEWEST:
            raise NotApplicableError(f"this needs at least {FEWEST} samples")
        classes = self._classes(subject)
        if classes and (int(target.max()) >= classes or int(target.min()) < 0):
            yield self._out_of_range(target, classes)
            return
        counts = torch.bincount(target)
        counts = counts[counts > 0].double()
        if len(counts) < 2:
            yield self.finding(
                "One class only",
                severity=Severity.HIGH,
                evidence=Evidence.CONFIRMED,
                meaning=f"All {len(target)} samples looked at have the same label.",
                advice="Shuffle the data before it is cut into batches, or check the loader.",
            )
            return
        yield self._balance(counts)
        yield self._order(target, counts)

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
            meaning=f"The network has {classes} outputs, and none of them is for this label.",
            advice="Number the classes from 0, or give the network more outputs.",
        )

    def _balance(self, counts: Tensor) -> Finding:
        ratio = float(counts.max() / counts.min())
        rare = ratio > RARE
        return self.finding(
            "A class is rare" if rare else "Balance of the classes",
            severity=Severity.MEDIUM if rare else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            quantity="samples of the most common class / of the rarest",
            value=rounded(ratio),
            expected=f"at most {RARE:g}",
            meaning="The rarest class hardly moves the loss." if rare else "No class is rare.",
            advice="Weight the loss by class, or sample rare classes more often." if rare else "",
        )

    def _order(self, target: Tensor, counts: Tensor) -> Finding:
        n = len(target)
        changes = int((target[1:] != target[:-1]).sum())
        alike = float((counts / n).pow(2).sum())
        mean = (n - 1) * (1 - alike)
        deviation = math.sqrt(max((n - 1) * alike * (1 - alike), 1e-12))
        z = (changes - mean) / deviation
        ordered = z < -SIGMAS
        return self.finding(
            "The data is sorted by label" if ordered else "Order of the labels",
            severity=Severity.MEDIUM if ordered else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            value=counted(changes),
            unit="changes of label along the data",
            expected=f"about {mean:.0f} in a random order",
            meaning="Unless the data is shuffled, each batch holds a single class."
            if ordered
            else "The labels are mixed.",
            advice="Shuffle the data, as DataLoader(..., shuffle=True) does." if ordered else "",
        )
