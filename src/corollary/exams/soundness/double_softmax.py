r"""Softmax before a loss that applies it.

Cross-entropy on logits does not change when a constant is added to all logits of a sample. If a
loss has that invariance and the outputs are probabilities already (not negative, summing to one),
the softmax is applied twice: the probabilities then lie between :math:`1/(k - 1 + e)` and
:math:`e/(k - 1 + e)`, and the loss cannot go below :math:`\ln(1 + (k-1)/e)`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.5, on softmax and cross-entropy.
:kind: exam
:claims: softmax_shift, cross_entropy_gradient
"""

import math
from collections.abc import Iterator

import torch

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.heads import Head, head_of
from corollary.exams.readings import rounded

EXPLAINS = ("trainability/*", "learning/*", "function/*", "generalization/*")


class DoubleSoftmax(Exam):
    """Whether probabilities are passed to a loss that expects logits."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Test the invariance of the loss, and the sums of the outputs."""
        head = head_of(subject)
        output, batch = head.output, head.batch
        if head.loss == "logistic":
            yield self._sigmoid(head)
            return
        if head.targets not in ("classes", "one-hot", "shares") or output.dim() < 2:
            raise NotApplicableError(
                "the targets are not classes, or the loss does not take logits"
            )
        with subject.borrowed(), torch.no_grad():
            loss = subject.loss_of(output, batch.target)
            shifted = subject.loss_of(output + 3.0, batch.target)
        axis = 1 if output.dim() > 2 and output.shape[:-1] != batch.target.shape else -1
        if output.shape[axis] < 2:
            raise NotApplicableError("there is one output per sample")
        takes_logits = math.isclose(float(loss), float(shifted), rel_tol=1e-4, abs_tol=1e-5)
        sums = output.cpu().double().sum(axis)
        probabilities = bool((output >= 0).all()) and bool((sums - 1).abs().max() < 1e-4)
        if takes_logits and probabilities:
            yield self._fault(output.shape[axis], float(loss))
        elif not takes_logits and not probabilities:
            yield self.finding(
                "The loss does not take logits",
                meaning="The loss changes when a constant is added to all outputs of a "
                "sample, so it expects something other than logits. Check that the "
                "outputs are what the loss expects.",
            )
        else:
            yield self.finding(
                "Outputs and loss match",
                meaning="The loss applies the softmax itself, and the network returns logits."
                if takes_logits
                else "The outputs are probabilities, and the loss expects probabilities.",
                claims=("softmax_shift",),
            )

    def _fault(self, k: int, loss: float) -> Finding:
        floor = math.log(1 + (k - 1) / math.e)
        return self.finding(
            "Softmax is applied twice",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            quantity="loss now",
            value=rounded(loss),
            meaning="The outputs are probabilities and the loss applies a softmax again. The "
            f"loss therefore stays above {floor:.2g}, however well the network learns.",
            advice="Return the logits (remove the last softmax), or use the negative "
            "log-likelihood of the logarithm of these probabilities.",
            claims=("softmax_shift", "cross_entropy_gradient"),
            explains=EXPLAINS,
            change="- return logits.softmax(-1)\n+ return logits",
        )

    def _sigmoid(self, head: Head) -> Finding:
        if head.low < 0 or head.high > 1:
            return self.finding(
                "Outputs and loss match",
                meaning="The loss applies the sigmoid itself, and the network returns logits.",
            )
        return self.finding(
            "Sigmoid is applied twice",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            meaning="The outputs lie between 0 and 1, and the loss applies a sigmoid again, so no "
            "probability exceeds 73 %.",
            advice="Return the logits (remove the last sigmoid), or use binary cross-entropy "
            "on probabilities.",
            claims=("softmax_is_sigmoid",),
            explains=EXPLAINS,
            change="- return torch.sigmoid(logits)\n+ return logits",
        )
