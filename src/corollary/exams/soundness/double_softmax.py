r"""Softmax before a loss that applies it.

Cross-entropy on logits does not change when a constant is added to all logits of a sample. If a
loss has that invariance and the outputs are probabilities already (not negative, summing to one),
the softmax is applied twice: the probabilities then lie between :math:`1/(k - 1 + e)` and
:math:`e/(k - 1 + e)`, and the loss cannot go below :math:`\ln(1 + (k-1)/e)`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.5, on softmax and cross-entropy.
:kind: exam
:cost: instant
:claims: softmax_shift, cross_entropy_gradient
"""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Budget, Exam, Finding, Severity, Subject
from corollary.core.default_losses import binary_cross_entropy
from corollary.errors import NotApplicableError
from corollary.exams.readings import rounded

SAMPLES = 64


class DoubleSoftmax(Exam):
    """Probabilities handed to a loss of logits."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The loss's invariance, and the outputs' sums."""
        batch = subject.labelled(SAMPLES)
        if batch.target is None or batch.target.is_floating_point():
            raise NotApplicableError("the targets are not class labels")
        with subject.borrowed(), torch.no_grad():
            output = subject.output(batch)
            loss = subject.loss_of(output, batch.target)
            shifted = subject.loss_of(output + 3.0, batch.target)
            binary = _is_binary(subject, output, batch.target)
        if binary:
            yield self._sigmoid(output)
            return
        axis = 1 if output.dim() > 2 and output.shape[:-1] != batch.target.shape else -1
        if output.shape[axis] < 2:
            raise NotApplicableError("there is one output a sample")
        takes_logits = math.isclose(float(loss), float(shifted), rel_tol=1e-4, abs_tol=1e-5)
        sums = output.double().sum(axis)
        probabilities = bool((output >= 0).all()) and bool((sums - 1).abs().max() < 1e-4)
        if takes_logits and probabilities:
            yield self._fault(output.shape[axis], float(loss))
        elif not takes_logits and not probabilities:
            yield self.finding(
                "The loss is not one of logits",
                meaning="It changes when a constant is added to all outputs of a sample, so it "
                "takes something other than logits; check that the outputs are that.",
            )
        else:
            yield self.finding(
                "Outputs and loss fit",
                meaning="The loss applies the softmax itself, and gets logits."
                if takes_logits
                else "The outputs are probabilities, and the loss takes them as such.",
                claims=("softmax_shift",),
            )

    def _fault(self, k: int, loss: float) -> Finding:
        floor = math.log(1 + (k - 1) / math.e)
        return self.finding(
            "Softmax is applied twice",
            severity=Severity.HIGH,
            value=rounded(loss),
            unit="= the loss now",
            meaning="The outputs are probabilities and the loss applies a softmax again, so it "
            f"stays above {floor:.2g} however well the network learns.",
            advice="Return the logits (drop the last softmax), or use the negative log-likelihood "
            "of the logarithm of these probabilities.",
            claims=("softmax_shift", "cross_entropy_gradient"),
        )

    def _sigmoid(self, output: Tensor) -> Finding:
        inside = bool(((output > 0) & (output < 1)).all())
        if not inside:
            return self.finding(
                "Outputs and loss fit",
                meaning="The loss applies the sigmoid itself, and gets logits.",
            )
        return self.finding(
            "Sigmoid is applied twice",
            severity=Severity.HIGH,
            meaning="The outputs lie between 0 and 1, and the loss applies a sigmoid again.",
            advice="Return the logits (drop the last sigmoid), or use binary cross-entropy on "
            "probabilities.",
            claims=("softmax_is_sigmoid",),
        )


def _is_binary(subject: Subject, output: Tensor, target: Tensor) -> bool:
    """Whether the loss is the logistic loss of logits, judged by its value."""
    if output.numel() != target.numel():
        return False
    ours = float(binary_cross_entropy(output, target))
    return math.isclose(float(subject.loss_of(output, target)), ours, rel_tol=1e-4)
