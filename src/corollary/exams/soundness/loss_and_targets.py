r"""The loss and the targets.

Training makes the loss small, so the loss must be smaller for right answers than for wrong ones,
for every sample and every output. It must also fit the kind of the targets: exclusive classes,
several labels per sample, or numbers. Targets in the thousands are far from the first outputs of a
network. The loss is tested with outputs that are right, with outputs that are wrong, and with
random outputs and their gradients.

:source: Goodfellow, Bengio and Courville (2016), Deep Learning, Section 6.2.2, on output units;
    Humbatova et al. (2020), "Taxonomy of real faults in deep learning systems", on loss functions.
:kind: exam
:claims: cross_entropy_gradient
"""

from collections.abc import Iterator

import torch

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import CorollaryError
from corollary.exams.compared_pairs import compares_pairs, larger_for_larger_label
from corollary.exams.heads import Head, head_of, right_and_wrong
from corollary.exams.loss_changes import ignored_outputs, ignored_parts
from corollary.exams.loss_kinds import CLOSE, LOSSES, TARGETS, smoothing_of
from corollary.exams.loss_shares import counting_samples
from corollary.exams.readings import counted, rounded
from corollary.exams.scales import LARGEST, OFFSET, SMALLEST, scale_of

ROUNDING = 1e-6  # of a loss: a difference below says nothing
SMOOTH = 0.5  # of a target spread over all classes; usual is a tenth
ALIKE = (
    " The samples are pairs, and the loss uses the opposite convention for the labels. The loss "
    "moves equal pairs apart and different pairs together."
)
EVERYTHING = (
    *("trainability/*", "learning/*", "function/*", "generalization/*", "robustness/*"),
    *("soundness/double_softmax", "soundness/parameters"),
)


class LossAndTargets(Exam):
    """Whether the loss is small for outputs that fit the targets."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """One finding for each way in which the loss does not fit the targets."""
        head = head_of(subject)
        asked = [self._labels(head), self._classes_as_numbers(head)]
        asked += [self._sign(subject, head), self._smoothed(subject, head)]
        faults = [found for found in asked if found is not None]
        faults += [*self._not_counted(subject, head), *self._left_out(subject, head)]
        faults += self._unused_part(subject, head)
        yield from faults
        yield from self._scale(head)
        if not faults:
            yield self.finding(
                "The loss rewards right answers",
                meaning="Right answers have a smaller loss than wrong ones"
                + (f"; it is {LOSSES[head.loss]}" if head.loss else "")
                + (f", the targets are {TARGETS[head.targets]}." if head.targets else "."),
            )

    def _labels(self, head: Head) -> Finding | None:
        """Several labels per sample, and a loss for exclusive classes; or the other way round."""
        if head.targets == "labels" and (head.loss == "cross entropy" or head.op == "softmax"):
            return self.finding(
                "Several labels per sample, but the softmax allows one",
                severity=Severity.MEDIUM,
                evidence=Evidence.CONFIRMED,
                where=head.where,
                meaning="Some samples have several labels, but the probabilities of a softmax "
                "sum to 1, so at most one of them can be near 1.",
                advice="Use the logistic loss on one logit for each label "
                "(BCEWithLogitsLoss), without a softmax.",
                explains=("trainability/*", "learning/*", "generalization/*"),
                change="- nn.CrossEntropyLoss()\n+ nn.BCEWithLogitsLoss()",
            )
        return None

    def _not_counted(self, subject: Subject, head: Head) -> Iterator[Finding]:
        """Targets of two values, one of which gives no gradient whatever the output is."""
        y = head.batch.target
        flat = y.reshape(len(y), -1)
        values = flat.unique()
        if len(values) != 2 or flat.shape[1] != 1 or len(head.output) != len(y):
            return
        counts = counting_samples(subject, head.output, y)
        if counts is None:
            return
        for value in values.tolist():
            here = (flat[:, 0] == value).cpu()
            if bool(counts[here].any()) or not bool(counts[~here].any()):
                continue
            yield self.finding(
                f"Samples with target {value:g} have no effect on the loss",
                severity=Severity.HIGH,
                evidence=Evidence.CONFIRMED,
                value=rounded(100 * float(here.cpu().double().mean())),
                unit="% of the targets have no effect on the gradient",
                expected="0 %",
                meaning=f"The loss of a sample with the label {value:g} is the same whatever the "
                "network answers. Such samples are ignored, and for the other samples a "
                "constant answer is best.",
                advice="Use the labels that the loss expects. Losses of pairs and margins "
                "(CosineEmbeddingLoss, MarginRankingLoss, HingeEmbeddingLoss, "
                "SoftMarginLoss) take 1 and -1, not 1 and 0.",
                change="+ y = 2 * y - 1",
                explains=EVERYTHING,
            )

    def _left_out(self, subject: Subject, head: Head) -> Iterator[Finding]:
        """Outputs with a target of their own that the loss does not read."""
        try:
            columns = ignored_outputs(subject, head.output, head.batch.target)
        except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
            return
        if not columns or len(columns) == head.output.shape[1]:
            return
        yield self.finding(
            "The loss leaves out an output",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            where=f"output {columns[0]}",
            value=counted(len(columns)),
            unit=f"of {head.output.shape[1]} outputs have no gradient, although their targets "
            "differ",
            expected="0",
            meaning=f"The loss does not depend on output {columns[0]}. Either the weight of "
            "its task is 0, or its term is missing from the sum. This task is not "
            "learned.",
            advice=f"Give the term of output {columns[0]} a weight above 0 in the loss.",
            change="- loss = 0.0 * first + second\n+ loss = first + second",
            explains=("trainability/*", "learning/*", "generalization/*"),
        )

    def _unused_part(self, subject: Subject, head: Head) -> Iterator[Finding]:
        """A view, or another part of a stacked output, that the loss never uses."""
        try:
            parts = ignored_parts(subject, head.output, head.batch.target)
        except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
            return
        n = head.output.shape[1] if parts else 0
        if not parts or len(parts) == n:
            return
        yield self.finding(
            f"The loss never uses part {parts[0] + 1} of {n} of the output",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            where=f"output[:, {parts[0]}]",
            meaning=f"output[:, {parts[0]}] has no effect on the loss and no gradient. So this "
            "view is ignored, and another view may be compared with itself.",
            advice="Check the indices in the loss. Each view (anchor, positive) has to be "
            "compared with the other view, not with itself.",
            change="- z[:, 0] @ z[:, 0].T\n+ z[:, 0] @ z[:, 1].T",
            explains=EVERYTHING,
        )

    def _sign(self, subject: Subject, head: Head) -> Finding | None:
        """A loss that is smaller for wrong answers than for right ones."""
        y = head.batch.target
        if y.dim() == 2 and head.output.dim() == 3 and not y.is_floating_point():
            y = y[:, :1].expand_as(y)  # the same at all places, for a loss may shift them
        pair = right_and_wrong(head.output, y, (head.low, head.high))
        larger = larger_for_larger_label(subject, head)
        if pair is None or larger is None:
            return None
        pair = pair if larger else pair[::-1]
        try:
            with torch.no_grad():
                y = y.to(pair[0]) if y.is_floating_point() else y
                right, wrong = (float(subject.loss_of(o, y)) for o in pair)
        except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
            return None
        if not right - wrong > ROUNDING * (abs(right) + abs(wrong)):
            return None
        return self.finding(
            "The loss rewards wrong answers",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            value=rounded(right, 3),
            unit=f"for right answers, {wrong:.3g} for wrong answers",
            expected="a smaller loss for right answers",
            meaning="Training decreases the loss, and here a smaller loss means worse answers."
            + (ALIKE if compares_pairs(subject, head) else ""),
            advice="Check the sign of the loss, the order of its arguments and what each label "
            "means. The loss must fall when the outputs get closer to the targets.",
            explains=EVERYTHING,
        )

    def _smoothed(self, subject: Subject, head: Head) -> Finding | None:
        """Label smoothing that leaves little or nothing of the labels."""
        share = smoothing_of(subject, head.output, head.batch.target)
        if share is None or share < SMOOTH:
            return None
        whole = share > 1 - CLOSE
        k = head.output.shape[1]
        return self.finding(
            "Label smoothing erases the labels" if whole else "Strong label smoothing",
            severity=Severity.HIGH if whole else Severity.LOW,
            evidence=Evidence.CONFIRMED,
            value=rounded(share),
            unit="of the probability of each target is spread evenly over all classes",
            expected="0.1 or less",
            meaning=f"The loss asks for a probability of {1 - share + share / k:.2g} for the "
            f"right class and {share / k:.2g} for every other class"
            + (": right and wrong answers have the same loss." if whole else "."),
            advice="Use label_smoothing=0.1 or less (0 turns smoothing off).",
            change=f"- label_smoothing={share:.3g}\n+ label_smoothing=0.1",
            explains=EVERYTHING if whole else (),
        )

    def _classes_as_numbers(self, head: Head) -> Finding | None:
        y = head.batch.target
        whole = head.targets in ("counts", "two classes") and not y.is_floating_point()
        if head.loss != "squared" or not whole or head.output.numel() != len(head.output):
            return None
        classes = len(y.unique())
        if not 2 < classes <= 20:
            return None
        return self.finding(
            "Classes are fitted as numbers",
            severity=Severity.LOW,
            where=head.where,
            value=counted(classes),
            unit="distinct integers as targets",
            meaning="One output has to predict the class number, so class 0 is treated as "
            "closer to class 1 than to class 2.",
            advice="If these are classes, give the network one output per class and use "
            "cross-entropy.",
        )

    def _scale(self, head: Head) -> Iterator[Finding]:
        if head.targets not in ("numbers", "counts") or head.output.numel() != (
            head.batch.target.numel()
        ):
            return
        found = scale_of(head.batch.target)
        wrong = not SMALLEST <= found.size <= LARGEST or found.offset > OFFSET
        yield self.finding(
            "Targets have an extreme scale" if wrong else "Scale of the targets",
            severity=Severity.MEDIUM if wrong else Severity.NONE,
            remedy="standardised targets",
            quantity="root mean square",
            value=rounded(found.size),
            unit=f"(mean {found.mean:.3g})",
            expected=f"{SMALLEST:g} to {LARGEST:g}, with the mean at most {OFFSET:g} standard "
            "deviations from 0",
            meaning="The outputs of a network start near 0, so its weights have to grow first. At "
            "the start, the gradient is as large as the targets."
            if wrong
            else "The targets have the same scale as the outputs of an untrained network.",
            advice="Standardise the targets (subtract the mean, divide by the standard "
            "deviation) and scale the predictions back."
            if wrong
            else "",
            explains=("trainability/*", "learning/*") if wrong else (),
            change="+ y = (y - y.mean(0)) / y.std(0)" if wrong else "",
        )
