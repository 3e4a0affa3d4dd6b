"""Layers that get no gradient.

A layer whose weights have a gradient of exactly zero does not learn: behind a detach, behind a
layer of zeros, behind dead units, or because its output is not used. A head or a branch that starts
at zero on purpose cuts the gradient for one step only, so a small step is made and the gradient is
looked at again.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 4, on backpropagation.
:kind: exam
:cost: instant
:claims: backprop_correctness
"""

from collections.abc import Iterator

from torch import nn

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import signal_of
from corollary.exams.readings import counted
from corollary.exams.small_step import small_step
from corollary.theory.landscape.signal import LayerSignal, Signal

SAMPLES = 128


class GradientReach(Exam):
    """Lengths of the weights' gradients, at the start and after a small step."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Which trainable layers have none."""
        subject.labelled(1)
        with subject.borrowed() as model:
            signal = signal_of(subject, model, SAMPLES)
            trained = [h for h in signal.weighted() if _is_trained(h.module)]
            cut = [h for h in trained if not h.gradient]
            if cut:
                small_step(subject, SAMPLES)
                after = {h.name: h.gradient for h in signal_of(subject, model, SAMPLES).layers}
                cut = [h for h in cut if not after.get(h.name)]
        if not trained:
            raise NotApplicableError("there is no trainable layer with a matrix of weights")
        if not cut:
            yield self.finding(
                "Every layer gets a gradient",
                value=counted(len(trained)),
                unit=f"of {len(trained)} layers",
                meaning="No layer is cut off from the loss.",
                claims=("backprop_correctness",),
            )
            return
        where, advice = _culprit(signal, cut)
        verb = "have" if len(cut) > 1 else "has"
        yield self.finding(
            "No gradient passes" if where != cut[-1].name else "No gradient",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            where=where,
            value=counted(len(cut)),
            unit=f"of {len(trained)} layers get none",
            expected="0",
            meaning=f"{_listed([h.name for h in cut])} {verb} a gradient of exactly zero and "
            "cannot learn.",
            advice=advice,
            claims=("backprop_correctness",),
        )


def _is_trained(module: nn.Module) -> bool:
    return any(p.requires_grad for p in module.parameters())


def _culprit(signal: Signal, cut: list[LayerSignal]) -> tuple[str, str]:
    """Where the gradient ends, and what to do there."""
    for layer in signal.layers:
        if layer.weight == 0:
            return layer.name, f"Draw the weights of '{layer.name}' at random: they are all zeros."
        if layer.dead == 1:
            return layer.name, (
                f"Revive '{layer.name}', which gives zeros to every sample: start the biases "
                "before it at zero, or use a leaky activation."
            )
    name = cut[-1].name
    return name, f"Look at what comes after '{name}': a detach() or no_grad() cuts the gradient."


def _listed(names: list[str], most: int = 4) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"'{name}'" for name in names[:most]) + more
