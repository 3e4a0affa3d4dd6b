r"""Accuracy on the given data.

The accuracy that robustness is compared with, with its exact binomial interval; the range of the
inputs; and the distance between samples of different classes, which is the scale for
perturbations. If renumbering the classes makes most answers right, the labels are in another order
than the outputs.

:source: Clopper and Pearson (1934), "The use of confidence or fiducial limits illustrated in the
    case of the binomial"; Yang, Rashtchian, Zhang, Salakhutdinov and Chaudhuri (2020), "A closer
    look at accuracy vs. robustness", for the separation of data.
:kind: exam
"""

from collections.abc import Iterator

import torch

from corollary.core import Budget, Count, Evidence, Exam, Finding, Severity, Subject
from corollary.exams.classifiers import LEVEL, Classifier, classifier, separation, share_read
from corollary.exams.readings import rounded
from corollary.theory.robustness.certificates.smoothing import classes

RENAMED = 0.8  # share of right answers after renaming from which on the order is no accident


class CleanAccuracy(Exam):
    """Accuracy, and the scale of the inputs."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Accuracy, order of the classes, separation."""
        with classifier(subject) as found:
            yield self._accuracy(found)
            yield from self._order(found)
            yield self._scale(subject, found)

    def _accuracy(self, found: Classifier) -> Finding:
        count = found.accuracy
        low = count.read(LEVEL).low
        better = low > found.chance
        return self.finding(
            "Accuracy on the given data",
            severity=Severity.NONE if better else Severity.LOW,
            value=share_read(count.hits, count.trials),
            unit=f"% of {count.trials} samples",
            expected=f"above {100 * found.chance:.3g} %, the share of the most common label",
            meaning="Accuracy under attack is compared with this number."
            if better
            else "The network does no better than always answering the most common label, so "
            "there is no robustness to measure yet.",
            advice="" if better else "Train the network, then examine it again.",
        )

    def _order(self, found: Classifier) -> Iterator[Finding]:
        count = found.accuracy
        best = _renamed(found)
        low = Count(best, count.trials).read(LEVEL).low
        if best <= count.hits or low < RENAMED or count.read(LEVEL).high > low:
            return
        if not low > found.chance:
            return  # one answer for all samples is right as often
        yield self.finding(
            "The classes are numbered differently",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            value=share_read(best, count.trials),
            unit="% correct if the classes are renumbered",
            expected=f"{100 * count.hits / count.trials:.3g} % with the numbers as given",
            meaning="The answers are right, but the classes are numbered differently.",
            advice="Compare the order of the labels with the order used in training (for "
            "example class_to_idx of its data).",
        )

    def _scale(self, subject: Subject, found: Classifier) -> Finding:
        sizes = {norm: separation(subject, norm) for norm in ("linf", "l2")}
        box = found.box
        held = f"Inputs lie in [{box[0]:g}, {box[1]:g}]" if box else "Inputs have no fixed range"
        return self.finding(
            "Separation of the classes",
            quantity="half the distance to the nearest sample of another class",
            value=rounded(sizes["l2"]),
            meaning=f"{held}, so radii are given as fractions of this distance. No classifier can "
            "be robust beyond this distance.",
            details={"box": box, "separation": sizes},
        )


def _renamed(found: Classifier) -> int:
    """Right answers under the best one-to-one renaming of the classes."""
    from scipy.optimize import linear_sum_assignment

    with torch.no_grad():
        said = classes(found.scores(found.x))
    meant = classes(found.y) if found.y.is_floating_point() else found.y
    k = found.classes
    table = torch.zeros(k, k, dtype=torch.int64)
    table.index_put_((meant.cpu(), said.cpu()), torch.tensor(1), accumulate=True)
    rows, columns = linear_sum_assignment(table.numpy(), maximize=True)
    return int(table[rows, columns].sum())
