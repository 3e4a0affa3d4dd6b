r"""Output, loss and targets.

The last operation decides which numbers the network can output, the loss decides which numbers it
accepts, and the targets say which numbers are right. The three must fit together. A ReLU cannot
output a negative number, a sigmoid cannot exceed one, and a softmax over one unit is always one. A
loss of logits applies its own softmax; a log-likelihood does not. The range of the outputs is
derived from the last operation, or measured by making the weights before it a thousand times
larger; the loss is recognised by its values.

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
from corollary.errors import NotApplicableError
from corollary.exams.class_targets import class_axis
from corollary.exams.heads import RANGES, Head, head_of, infinite_when_sure, wanted_beyond
from corollary.exams.loss_kinds import LOSSES, TARGETS
from corollary.exams.readings import rounded
from corollary.exams.trial_run import trial_run_of

SOME = 0.01  # of the targets out of reach: below, they may be outliers that one clips on purpose
FLOOR = 0.3  # of a loss: no answer is surer than three in four
FAR_START = 2.0  # times log k: a start so sure of itself that it has to unlearn first


class HeadAndLoss(Exam):
    """Range of the outputs, domain of the loss, range of the targets."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """One finding per mismatch, or one finding that everything fits."""
        head = head_of(subject)
        checks = [self._one_unit, self._not_logarithms, self._logistic, self._exp_twice]
        asked = [*(check(head) for check in checks), self._range(subject, head)]
        asked += [self._squeezed(head), self._sure(subject, head, budget)]
        faults = [found for found in asked if found is not None]
        yield from faults
        yield from self._start(subject, head)
        if not faults:
            yield self.finding(
                "Output, loss and targets fit",
                meaning=f"The outputs are {head.range_in_words()}"
                + (f", the loss is {LOSSES[head.loss]}" if head.loss else "")
                + (f", the targets are {TARGETS[head.targets]}." if head.targets else "."),
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
            meaning="A softmax over one number is always 1, so the network is constant and "
            "gets no gradient.",
            advice="For one output, use a sigmoid, or no activation and the logistic loss on "
            "logits. Otherwise use one output per class.",
            explains=EVERYTHING,
            change="- nn.Softmax(dim=-1)\n+ nn.Sigmoid()",
        )

    def _range(self, subject: Subject, head: Head) -> Finding | None:
        """Targets that the outputs cannot reach, although the loss requires it."""
        if head.loss not in ("squared", "absolute", "") or head.targets in ("classes", ""):
            return None
        if head.output.numel() != head.batch.target.numel():
            return None
        y = head.batch.target.cpu().double()
        out = float(((y < head.low) | (y > head.high)).cpu().double().mean())
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
            advice=f"Remove the {head.op or 'activation'} at the end. Or scale the targets into "
            "the range of the outputs, and scale the predictions back.",
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
        total = head.output.cpu().double().exp().sum(axis)
        if bool((total - 1).abs().max() < 1e-3):
            return None
        shares = bool((head.output >= 0).all()) and head.high <= 1
        return self.finding(
            f"The {'KL divergence' if divergence else 'negative log-likelihood'} receives no "
            "log-probabilities",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            where=head.where,
            meaning="The loss expects log-probabilities and receives "
            + ("probabilities" if shares else "logits")
            + ". The loss is linear in its inputs"
            + (" and can fall below zero without bound." if not shares else "."),
            advice="Put a log_softmax at the end of the network: KLDivLoss takes "
            "log-probabilities from the model and probabilities as targets."
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
            advice=f"Remove the {head.op} at the end: the loss applies the softmax itself.",
            explains=("trainability/*", "learning/*", "function/*", "generalization/*"),
            change=f"- {head.op}(...)  # last operation",
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
            meaning=f"The outputs stay between {head.low:.2g} and {head.high:.2g} (like "
            "cosines), however large the weights are. No probability can therefore "
            "come near 1.",
            advice="Multiply the logits by a scale (that is, divide by a temperature). A "
            "scale of 10 to 30 is usual for cosines, or make the scale a parameter.",
            explains=("trainability/*", "learning/*", "generalization/*"),
            change="+ logits = 16 * logits",
        )

    def _logistic(self, head: Head) -> Finding | None:
        """Targets outside 0 and 1 for a logistic loss, which is then unbounded below."""
        if head.loss not in ("logistic", "probabilities"):
            return None
        y = head.batch.target.cpu().double()
        if bool(((y >= 0) & (y <= 1)).all()):
            return None
        return self.finding(
            "The logistic loss receives targets outside 0 to 1",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            quantity="most extreme target",
            value=rounded(float(y.min() if y.min() < 0 else y.max())),
            expected="0 to 1",
            meaning="With such targets the loss has no minimum: it falls without bound as the "
            "outputs grow.",
            advice="Map the labels to 0 and 1. For more than two classes, use one output per "
            "class and cross-entropy.",
            explains=("trainability/*", "learning/*", "generalization/*"),
        )

    def _sure(self, subject: Subject, head: Head, budget: Budget) -> Finding | None:
        """Probabilities of exactly 0 or 1, which a saturated output rounds to."""
        if (head.low, head.high) != (0.0, 1.0) or not infinite_when_sure(subject, head):
            return None
        try:
            seen = not trial_run_of(subject, budget).run.finite
        except NotApplicableError:
            seen = False
        spacing = torch.finfo(head.output.dtype).eps
        return self.finding(
            "The loss is infinite where the output is exactly 0 or 1",
            severity=Severity.HIGH if seen else Severity.LOW,
            evidence=Evidence.CONFIRMED if seen else Evidence.PREDICTED,
            where=head.where,
            meaning=f"A confident {head.op or 'bounded output'} is rounded to exactly 0 or 1. "
            "There the loss takes the logarithm of 0, and the loss or its gradient "
            f"is infinite or NaN. An epsilon below {spacing:.1g} added to 1 is lost "
            "in this precision.",
            advice="Use a loss that takes logits (BCEWithLogitsLoss, CrossEntropyLoss) and never "
            "computes the logarithm of 0. Or clamp the probabilities to [eps, 1 - eps] "
            f"with eps = {10 * spacing:.0e}.",
            change="- loss = -(p + eps).log()\n+ loss = F.binary_cross_entropy_with_logits(...)",
            explains=("trainability/*", "learning/*", "generalization/*") if seen else (),
        )

    def _exp_twice(self, head: Head) -> Finding | None:
        """A Poisson loss that expects logarithms of rates and gets rates."""
        if head.loss != "log rates" or head.low < 0:
            return None
        twice = head.op == "exp"
        return self.finding(
            "exp is applied twice" if twice else "Rates where logarithms of rates are expected",
            severity=Severity.HIGH if twice else Severity.LOW,
            remedy="bare output",
            where=head.where,
            meaning="The Poisson loss (log_input=True, the default) takes the logarithm of "
            "the rate and applies exp itself. The outputs are "
            f"{head.range_in_words()}, so every rate, exp(output), is at least 1.",
            advice="Leave out the exp at the end, or use nn.PoissonNLLLoss(log_input=False)."
            if twice
            else f"If the {head.op or 'output'} is meant to be the rate itself, use "
            "nn.PoissonNLLLoss(log_input=False); otherwise pass the output without "
            "activation to the loss.",
            change="- nn.PoissonNLLLoss()\n+ nn.PoissonNLLLoss(log_input=False)",
            explains=("trainability/*", "learning/*", "function/*", "generalization/*")
            if twice
            else (),
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
            expected=f"about {math.log(k):.3g} = ln {k} before training, and less after training",
            meaning="The network starts with confident wrong answers, which training has to undo "
            "first."
            if sure
            else "The network is no more confident in wrong answers than a uniform guess.",
            advice="Initialise the last layer with smaller weights, or scale the inputs."
            if sure
            else "",
        )


EVERYTHING = (
    *("trainability/*", "learning/*", "function/*", "generalization/*", "robustness/*"),
    *("soundness/double_softmax", "soundness/parameters"),
)
