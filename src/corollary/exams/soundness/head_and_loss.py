r"""Output, loss and targets.

The last operation decides which numbers the network can output, the loss which it accepts, and the
targets which it should output. The three must fit together: a ReLU cannot answer a negative
number, a sigmoid nothing above one, a softmax over one unit gives one whatever the input; a loss
of logits applies its own softmax, a log-likelihood does not; targets in the thousands are far from
what a network starts with. The range of the outputs is read from the last operation and tried by
making the weights before it a thousand times larger; the loss is recognised by its values.

:source: Goodfellow, Bengio and Courville (2016), Deep Learning, Section 6.2.2, on output units;
    Humbatova et al. (2020), "Taxonomy of real faults in deep learning systems", on output layers
    and loss functions.
:kind: exam
:claims: softmax_shift, cross_entropy_gradient
"""

import math
from collections.abc import Iterator

import torch

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import CorollaryError
from corollary.exams.class_targets import class_axis
from corollary.exams.heads import RANGES, Head, head_of, right_and_wrong, wanted_beyond
from corollary.exams.loss_changes import ignored_outputs
from corollary.exams.loss_kinds import CLOSE, smoothing_of
from corollary.exams.loss_shares import counting_samples
from corollary.exams.readings import counted, rounded
from corollary.exams.scales import LARGEST, OFFSET, SMALLEST, scale_of

SOME = 0.01  # of the targets out of reach: below, they may be outliers that one clips on purpose
ROUNDING = 1e-6  # of a loss: a difference below says nothing
FLOOR = 0.3  # of a loss: no answer is surer than three in four
SMOOTH = 0.5  # of a target spread over all classes; usual is a tenth
FAR_START = 2.0  # times log k: a start so sure of itself that it has to unlearn first


class HeadAndLoss(Exam):
    """Range of the outputs, domain of the loss, kind and scale of the targets."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """One finding per mismatch, or one that everything fits."""
        head = head_of(subject)
        checks = [self._one_unit, self._not_logarithms, self._labels]
        checks += [self._logistic, self._classes_as_numbers, self._exp_twice]
        faults = [found for check in checks if (found := check(head)) is not None]
        faults += list(self._not_counted(subject, head))
        faults += list(self._left_out(subject, head))
        asked = [self._range(subject, head), self._sign(subject, head)]
        asked += [self._squeezed(head), self._smoothed(subject, head)]
        faults += [found for found in asked if found]
        yield from faults
        yield from self._scale(head)
        yield from self._start(subject, head)
        if not faults:
            yield self.finding(
                "Output, loss and targets fit",
                meaning=f"The outputs are {head.range_in_words()}"
                + (f", the loss is {_LOSSES[head.loss]}" if head.loss else "")
                + (f", the targets are {_TARGETS[head.targets]}." if head.targets else "."),
                details={"op": head.op, "low": head.low, "high": head.high, "loss": head.loss},
            )

    def _one_unit(self, head: Head) -> Finding | None:
        if head.op not in ("softmax", "log_softmax") or head.output.numel() != len(head.output):
            return None
        return self.finding(
            "Softmax over one unit",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            where=head.where,
            meaning="A softmax over one number is 1 whatever the input, so the network is a "
            "constant and gets no gradient.",
            advice="Use a sigmoid (or no activation and the logistic loss on logits) for one "
            "output, or one output for each class.",
            explains=EVERYTHING,
            change="- nn.Softmax(dim=-1)\n+ nn.Sigmoid()",
        )

    def _range(self, subject: Subject, head: Head) -> Finding | None:
        """Targets that the outputs cannot reach, though the loss requires it."""
        if head.loss not in ("squared", "absolute", "") or head.targets in ("classes", ""):
            return None
        if head.output.numel() != head.batch.target.numel():
            return None
        y = head.batch.target.double()
        out = float(((y < head.low) | (y > head.high)).double().mean())
        if not out > SOME or not wanted_beyond(subject, head):
            return None
        return self.finding(
            "Targets outside the range of the output",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            where=head.where,
            value=rounded(100 * out),
            unit="% of the targets",
            expected="0 %",
            meaning=f"The outputs are {head.range_in_words()}, and the targets go from "
            f"{float(y.min()):.3g} to {float(y.max()):.3g}.",
            advice=f"Drop the {head.op or 'activation'} at the end, or scale the targets into its "
            "range and scale the answers back.",
            explains=("trainability/*", "learning/*", "function/*", "generalization/*"),
            change=f"- {head.op}(...)  # last operation" if head.op else "",
        )

    def _not_logarithms(self, head: Head) -> Finding | None:
        """A log-likelihood whose input is not a logarithm of probabilities."""
        if head.loss not in ("log likelihood", "divergence"):
            return None
        divergence = head.loss == "divergence"
        axis = 1 if head.output.dim() > 1 else 0
        if divergence and head.output.dim() > 2:
            axis = head.output.dim() - 1
        total = head.output.double().exp().sum(axis)
        if bool((total - 1).abs().max() < 1e-3):
            return None
        shares = bool((head.output >= 0).all()) and head.high <= 1
        return self.finding(
            f"The {'KL divergence' if divergence else 'negative log-likelihood'} does not get "
            "log-probabilities",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            where=head.where,
            meaning="The loss expects log-probabilities and gets "
            + ("probabilities" if shares else "logits")
            + "; it is linear in them"
            + (" and can grow without bound below zero." if not shares else "."),
            advice="Put a log_softmax at the end: KLDivLoss takes log-probabilities of the model "
            "and probabilities as targets."
            if divergence
            else "Use cross-entropy on the logits, or put a log_softmax at the end.",
            explains=(
                "trainability/*",
                "learning/*",
                "generalization/*",
                "soundness/double_softmax",
            ),
            change="+ output = torch.log_softmax(logits, dim=-1)"
            if divergence and not shares
            else "- nn.NLLLoss()\n+ nn.CrossEntropyLoss()"
            if not shares
            else "- softmax(...)\n+ log_softmax(...)",
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

    def _sign(self, subject: Subject, head: Head) -> Finding | None:
        """A loss that is smaller for wrong answers than for right ones."""
        y = head.batch.target
        if y.dim() == 2 and head.output.dim() == 3 and not y.is_floating_point():
            y = y[:, :1].expand_as(y)  # the same at all places, for a loss may shift them
        pair = right_and_wrong(head.output, y, (head.low, head.high))
        if pair is None:
            return None
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
            unit=f"for right answers, {wrong:.3g} for wrong ones",
            expected="less for right answers",
            meaning="Training decreases the loss, and here a smaller loss means worse answers.",
            advice="Check the sign of the loss and the order of its arguments: it must fall as the "
            "outputs come nearer to the targets.",
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
            "Label smoothing leaves nothing of the labels" if whole else "Strong label smoothing",
            severity=Severity.HIGH if whole else Severity.LOW,
            evidence=Evidence.CONFIRMED,
            value=rounded(share),
            unit="of each target is spread evenly over all classes",
            expected="0.1 or less",
            meaning=f"The loss asks for a probability of {1 - share + share / k:.2g} of the right "
            f"class and {share / k:.2g} of every other"
            + (": right and wrong answers have the same loss." if whole else "."),
            advice="Use label_smoothing=0.1 or less; 0 is none.",
            change=f"- label_smoothing={share:.3g}\n+ label_smoothing=0.1",
            explains=EVERYTHING if whole else (),
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
            unit=f"of {head.output.shape[1]} outputs have no gradient, though their targets differ",
            expected="0",
            meaning=f"The loss does not depend on output {columns[0]}: the weight of its "
            "task is 0, or its term is missing from the sum, so this task is not learned.",
            advice=f"Give the term of output {columns[0]} a weight above 0 in the loss.",
            change="- loss = 0.0 * first + second\n+ loss = first + second",
            explains=("trainability/*", "learning/*", "generalization/*"),
        )

    def _squeezed(self, head: Head) -> Finding | None:
        """Logits that an activation at the end keeps in a narrow range."""
        bounded = math.isfinite(head.low) and math.isfinite(head.high)
        if head.loss != "cross entropy" or "softmax" in head.op:
            return None
        if head.op not in RANGES and not bounded:
            return None
        axis = class_axis(head.output, head.batch.target)
        k = head.output.shape[-1 if axis is None else axis]
        floor = math.log1p((k - 1) * math.exp(min(head.low - head.high, 0.0)))
        least = f", and the loss cannot fall below {floor:.2g}" if floor > 0.05 else ""
        bound = floor > FLOOR
        if head.op not in RANGES:
            return self._bounded(head, floor) if bound else None
        return self.finding(
            "An activation squeezes the logits",
            severity=Severity.MEDIUM if bound else Severity.HIGH,
            evidence=Evidence.CONFIRMED if bound else Evidence.PREDICTED,
            remedy="bare output",
            where=head.where,
            meaning=f"The outputs are {head.range_in_words()}; cross-entropy expects logits, "
            f"which can be any real numbers{least}.",
            advice=f"Drop the {head.op} at the end: the loss applies the softmax itself.",
            explains=("trainability/*", "learning/*", "function/*", "generalization/*"),
            change=f"- {head.op}(...)  # last operation",
        )

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
            here = flat[:, 0] == value
            if bool(counts[here].any()) or not bool(counts[~here].any()):
                continue
            yield self.finding(
                f"Samples with target {value:g} have no effect on the loss",
                severity=Severity.HIGH,
                evidence=Evidence.CONFIRMED,
                value=rounded(100 * float(here.double().mean())),
                unit="% of the targets have no effect on the gradient",
                expected="0 %",
                meaning=f"Whatever the network answers, the loss of a sample with the label "
                f"{value:g} does not change: such samples are ignored, and a constant answer is "
                "best for the others.",
                advice="Use the labels that the loss expects: losses of pairs and margins "
                "(CosineEmbeddingLoss, MarginRankingLoss, HingeEmbeddingLoss, SoftMarginLoss) take "
                "1 and -1, not 1 and 0.",
                change="+ y = 2 * y - 1",
                explains=EVERYTHING,
            )

    def _bounded(self, head: Head, floor: float) -> Finding:
        """Logits that stay bounded whatever the weights are, such as cosines."""
        return self.finding(
            "The range of the logits is too small",
            severity=Severity.MEDIUM,
            evidence=Evidence.CONFIRMED,
            where=head.where,
            quantity="smallest cross-entropy within the range",
            value=rounded(floor),
            expected=f"below {FLOOR:g}",
            meaning=f"However large the weights are, the outputs stay between {head.low:.2g} and "
            f"{head.high:.2g}, as cosines do, so no probability comes near 1.",
            advice="Multiply the logits by a scale (divide by a temperature), such as 10 to 30 for "
            "cosines, or learn it.",
            explains=("trainability/*", "learning/*", "generalization/*"),
            change="+ logits = 16 * logits",
        )

    def _logistic(self, head: Head) -> Finding | None:
        """Targets outside 0 and 1 for a logistic loss, which is then unbounded below."""
        if head.loss not in ("logistic", "probabilities"):
            return None
        y = head.batch.target.double()
        if bool(((y >= 0) & (y <= 1)).all()):
            return None
        return self.finding(
            "The logistic loss gets targets outside 0 and 1",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            quantity="most extreme target",
            value=rounded(float(y.min() if y.min() < 0 else y.max())),
            expected="0 to 1",
            meaning="With such targets the loss has no minimum: it falls without bound as the "
            "outputs grow.",
            advice="Map the labels to 0 and 1; for more than two classes use one output for each "
            "and cross-entropy.",
            explains=("trainability/*", "learning/*", "generalization/*"),
        )

    def _exp_twice(self, head: Head) -> Finding | None:
        """A Poisson loss that expects logarithms of rates and gets rates."""
        if head.loss != "log rates" or head.low < 0:
            return None
        twice = head.op == "exp"
        return self.finding(
            "exp is applied twice" if twice else "Rates where logarithms of rates are expected",
            severity=Severity.HIGH if twice else Severity.LOW,
            evidence=Evidence.CONFIRMED,
            where=head.where,
            meaning="The Poisson loss (log_input=True, the default) takes the logarithm of the "
            f"rate and applies exp itself. The outputs are {head.range_in_words()}, so every rate "
            "is exp(output), which is at least 1.",
            advice="Leave out the exp at the end, or use nn.PoissonNLLLoss(log_input=False)."
            if twice
            else f"If the {head.op or 'output'} is meant to be the rate itself, use "
            "nn.PoissonNLLLoss(log_input=False); else hand the bare output to the loss.",
            change="- nn.PoissonNLLLoss()\n+ nn.PoissonNLLLoss(log_input=False)",
            explains=("trainability/*", "learning/*", "function/*", "generalization/*")
            if twice
            else (),
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
            meaning="One output has to predict the number of the class, so class 0 counts as "
            "closer to 1 than to 2.",
            advice="If these are classes, give the network one output for each and use "
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
            "Targets are of an extreme scale" if wrong else "Scale of the targets",
            severity=Severity.MEDIUM if wrong else Severity.NONE,
            remedy="standardised targets",
            quantity="root mean square",
            value=rounded(found.size),
            unit=f"(mean {found.mean:.3g})",
            expected=f"{SMALLEST:g} to {LARGEST:g}, mean at most {OFFSET:g} deviations from 0",
            meaning="The network starts near 0 and has to grow its weights first; the gradient is "
            "as large as the targets."
            if wrong
            else "The targets have the scale of the outputs of an untrained network.",
            advice="Standardise the targets (subtract the mean, divide by the standard deviation) "
            "and scale the answers back."
            if wrong
            else "",
            explains=("trainability/*", "learning/*") if wrong else (),
            change="+ y = (y - y.mean(0)) / y.std(0)" if wrong else "",
        )

    def _start(self, subject: Subject, head: Head) -> Iterator[Finding]:
        """The first loss of a classifier against log k."""
        if head.loss != "cross entropy" or head.targets != "classes":
            return
        axis = -1 if head.output.shape[:-1] == head.batch.target.shape else 1
        k = head.output.shape[axis]
        with torch.no_grad():
            now = float(subject.loss_of(head.output, head.batch.target))
        if not math.isfinite(now) or k < 2:
            return
        sure = now > FAR_START * math.log(k)
        yield self.finding(
            "Overconfident at the start" if sure else "Loss at the start",
            severity=Severity.LOW if sure else Severity.NONE,
            quantity="initial loss",
            value=rounded(now, 3),
            unit=f"({k} classes)",
            expected=f"about {math.log(k):.3g} = ln {k} before training, less after",
            meaning="It is confident in wrong answers, which it has to unlearn first."
            if sure
            else "It is no more confident in wrong answers than a uniform guess.",
            advice="Start the last layer with smaller weights, or scale the inputs."
            if sure
            else "",
        )


EVERYTHING = (
    *("trainability/*", "learning/*", "function/*", "generalization/*", "robustness/*"),
    *("soundness/double_softmax", "soundness/parameters"),
)
_TARGETS = {
    "classes": "exclusive classes",
    "two classes": "two classes",
    "one-hot": "exclusive classes, one-hot",
    "labels": "several labels per sample",
    "shares": "probabilities",
    "counts": "whole numbers",
    "numbers": "real numbers",
}
_LOSSES = {
    "cross entropy": "cross-entropy on logits",
    "log likelihood": "the negative log-likelihood",
    "logistic": "the logistic loss on logits",
    "probabilities": "one of probabilities",
    "squared": "the squared error",
    "absolute": "the absolute error",
    "divergence": "the divergence of log-probabilities",
    "log rates": "the Poisson likelihood of logarithms of rates",
}
