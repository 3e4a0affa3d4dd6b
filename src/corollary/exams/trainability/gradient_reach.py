"""Layers that get no gradient.

A layer whose weights have a gradient of exactly zero does not learn: behind a detach, behind a
layer of zeros, behind dead units, or because its output is not used.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 4, on backpropagation.
:kind: exam
:cost: instant
:claims: backprop_correctness
"""

from collections.abc import Iterator

from corollary.core import Budget, Exam, Finding, Reading, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import signal_of

SAMPLES = 128


class GradientReach(Exam):
    """Lengths of the weights' gradients."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Which trainable layers have none."""
        subject.labelled(1)
        with subject.borrowed() as model:
            deep = signal_of(subject, model, SAMPLES).weighted()
            trained = [h for h in deep if any(p.requires_grad for p in h.module.parameters())]
        if not trained:
            raise NotApplicableError("no layer with weights is trained")
        cut = [h.name for h in trained if not h.gradient]
        yield self.finding(
            "Layers without a gradient" if cut else "Every layer gets a gradient",
            severity=Severity.HIGH if cut else Severity.NONE,
            where=cut[-1] if cut else "",
            value=Reading(len(cut), len(cut), len(cut)),
            unit=f"of {len(trained)} layers",
            expected="0",
            meaning="Their weights have a gradient of exactly zero and do not learn."
            if cut
            else "No gradient is exactly zero.",
            advice=f"Look at what comes after '{cut[-1]}': a detach, a layer of zeros or dead "
            "units cuts the gradient."
            if cut
            else "",
            claims=("backprop_correctness",),
        )
