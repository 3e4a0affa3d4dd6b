"""Parameters that get no gradient.

There are two different cases. A gradient of *None* means that the loss does not depend on a
parameter at all: it is not used, or a detach, a no_grad or an operation on integers cuts it off. A
gradient of exactly *zero* means that the loss depends on the parameter, but the slope is zero: dead
units, a layer of zeros or a plateau are between the parameter and the loss. A head or a branch that
is initialised with zeros on purpose becomes nonzero after one step, so the gradient is computed
again after two small steps.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 4, on backpropagation.
:kind: exam
:claims: backprop_correctness
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import trace_of
from corollary.exams.modes import steady
from corollary.exams.readings import counted
from corollary.exams.small_step import small_step
from corollary.theory.modules.trace import Trace, dead_share

SAMPLES = 128


class GradientReach(Exam):
    """The gradient of every parameter, at the start and after two small steps."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Weight matrices without a gradient, and those whose gradient is zero."""
        subject.labelled(1)
        with subject.borrowed() as model, steady(model):
            names = [n for n, p in subject.parameters().items() if p.dim() > 1]
            if not names:
                raise NotApplicableError("there is no trainable weight matrix")
            none, zero = _cut(subject, names)
            if zero:
                for _ in range(2):
                    small_step(subject, SAMPLES)
                none, still = _cut(subject, names)
                zero = [n for n in zero if n in still]
            trace = trace_of(subject, SAMPLES)
        if none:
            yield self._none(none, len(names), trace)
        if zero:
            yield self._zero(zero, len(names), subject, trace)
        if not none and not zero:
            yield self.finding(
                "Every layer gets a gradient",
                value=counted(len(names)),
                unit=f"of {len(names)} weight matrices",
                meaning="No layer is cut off from the loss.",
                claims=("backprop_correctness",),
            )

    def _none(self, cut: list[str], total: int, trace: Trace) -> Finding:
        layers = [_layer(name) for name in cut]
        called = [layer for layer in layers if any(c.path == layer for c in trace.calls)]
        where = called[-1] if called else layers[-1]
        return self.finding(
            "No gradient reaches a layer",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            where=where,
            value=counted(len(cut)),
            unit=f"of {total} weight matrices have no gradient",
            expected="0",
            meaning=f"Autograd finds no path from {_listed(cut)} to the loss, so these "
            "weights cannot learn.",
            advice=f"Look at the operations after '{where}'. The gradient is cut off by detach(), "
            "no_grad(), .data and .item(). It is also cut off by argmax, comparisons and "
            "rounding, which have no derivative."
            if called
            else f"Call '{where}' in forward, or delete it.",
            claims=("backprop_correctness",),
        )

    def _zero(self, cut: list[str], total: int, subject: Subject, trace: Trace) -> Finding:
        where, advice = _culprit(subject, cut, trace)
        return self.finding(
            "A gradient is exactly zero",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            where=where,
            value=counted(len(cut)),
            unit=f"of {total} weight matrices",
            expected="0",
            meaning=f"The loss depends on {_listed(cut)}, but its gradient there is exactly "
            "zero, even after a small step.",
            advice=advice,
            claims=("backprop_correctness",),
        )


def _cut(subject: Subject, names: list[str]) -> tuple[list[str], list[str]]:
    """Names of matrices without a gradient, and of those with a zero gradient."""
    parameters = subject.parameters()
    loss = subject.loss(subject.labelled(SAMPLES))
    gradients: tuple[Tensor | None, ...] = (None,) * len(names)
    if loss.requires_grad:
        held = [parameters[name] for name in names]
        gradients = torch.autograd.grad(loss, held, allow_unused=True)
    pairs = list(zip(names, gradients, strict=True))
    zero = [n for n, g in pairs if g is not None and not bool(g.any())]
    return [n for n, g in pairs if g is None], zero


def _culprit(subject: Subject, cut: list[str], trace: Trace) -> tuple[str, str]:
    """The layer where the gradient is lost, and what to do there."""
    parameters = subject.parameters()
    for name in parameters:
        if parameters[name].dim() > 1 and not bool(parameters[name].any()):
            layer = _layer(name)
            return layer, f"Initialise the weights of '{layer}' at random. They are all zeros."
    for call in trace.calls:
        if dead_share(call) == 1:
            dead = call.name if "'" in call.name else f"'{call.name}'"
            return call.name, (
                f"{dead} outputs zeros for every sample. Initialise the biases before this layer "
                "with zeros, or use a leaky activation."
            )
    for call in trace.of("softmax", "log_softmax"):
        if call.y.shape[-1] == 1:
            return call.name, "Do not take a softmax over one number: it is always 1."
    where = _layer(cut[-1])
    return where, (
        f"Look at the operations after '{where}' for saturated units or a constant factor of 0."
    )


def _layer(name: str) -> str:
    return name.rpartition(".")[0] or name


def _listed(names: list[str], most: int = 4) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"'{name}'" for name in names[:most]) + more
