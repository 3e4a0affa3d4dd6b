"""Use of the parameters.

A parameter that gets no gradient is not trained, whether it was frozen, forgotten in forward or
cut off by a detach. Two names for one tensor are shared weights, which is fine; two tensors with
equal random values are a copy that was meant to be shared, or a seed that was set twice.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 4, on backpropagation.
:kind: exam
:cost: instant
:claims: backprop_correctness, hidden_unit_permutation
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from corollary.core import Budget, Exam, Finding, Reading, Severity, Subject
from corollary.errors import NotApplicableError

SAMPLES = 64


class Parameters(Exam):
    """Unused, frozen, shared and duplicated parameters."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """What the gradient does not reach, and what stands twice."""
        model = subject.model
        if not list(model.parameters()):
            raise NotApplicableError("the module has no parameters")
        yield from self._frozen(model)
        yield from self._unused(subject)
        yield from self._twice(model)

    def _frozen(self, model: nn.Module) -> Iterator[Finding]:
        every = dict(model.named_parameters())
        frozen = [name for name, p in every.items() if not p.requires_grad]
        if frozen:
            whole = len(frozen) == len(every)
            yield self.finding(
                "Frozen parameters",
                severity=Severity.HIGH if whole else Severity.LOW,
                where=frozen[0],
                value=_count(len(frozen)),
                unit=f"of {len(every)} tensors",
                meaning="Nothing can be trained." if whole else "These keep their values.",
                advice="If that is not meant, call requires_grad_(True) on them.",
                details={"frozen": frozen},
            )

    def _unused(self, subject: Subject) -> Iterator[Finding]:
        parameters = subject.parameters()
        if not parameters:
            return
        try:
            batch = subject.labelled(SAMPLES)
        except NotApplicableError:
            return
        with subject.borrowed(train=True):
            loss = subject.loss(batch)
            if not loss.requires_grad:
                grads: tuple[Tensor | None, ...] = (None,) * len(parameters)
            else:
                grads = torch.autograd.grad(loss, list(parameters.values()), allow_unused=True)
        unused = [n for n, g in zip(parameters, grads, strict=True) if g is None]
        if not unused:
            yield self.finding(
                "Every parameter gets a gradient",
                meaning="The loss depends on every trainable tensor.",
                claims=("backprop_correctness",),
            )
            return
        yield self.finding(
            "Parameters without a gradient",
            severity=Severity.HIGH if len(unused) == len(parameters) else Severity.MEDIUM,
            where=unused[0],
            value=_count(len(unused)),
            unit=f"of {len(parameters)} trainable tensors",
            expected="0",
            meaning="The loss does not depend on these, so training leaves them as they are.",
            advice=f"Use '{unused[0]}' in forward, remove a detach() or no_grad() on its way, or "
            "delete it.",
            claims=("backprop_correctness",),
            details={"unused": unused},
        )

    def _twice(self, model: nn.Module) -> Iterator[Finding]:
        names: dict[int, list[str]] = {}
        for name, p in model.named_parameters(remove_duplicate=False):
            names.setdefault(id(p), []).append(name)
        shared = [found for found in names.values() if len(found) > 1]
        if shared:
            yield self.finding(
                "Shared parameters",
                where=" = ".join(shared[0]),
                value=_count(len(shared)),
                meaning="One tensor serves under several names; its gradient is their sum.",
            )
        copies = _copies(dict(model.named_parameters()))
        if copies:
            one, other = copies[0]
            yield self.finding(
                "Equal parameters",
                severity=Severity.MEDIUM,
                where=other,
                value=_count(len(copies)),
                meaning=f"'{one}' and '{other}' are two tensors with the same random values.",
                advice="Share the tensor if they are meant to be one, or initialise the second "
                "one anew (a deepcopy copies its values).",
                claims=("hidden_unit_permutation",),
                details={"pairs": [list(pair) for pair in copies]},
            )


def _copies(parameters: dict[str, nn.Parameter]) -> list[tuple[str, str]]:
    """Pairs of tensors with equal, not constant, values."""
    seen: dict[tuple[object, ...], str] = {}
    pairs = []
    for name, p in parameters.items():
        values = p.detach()
        if values.numel() < 4 or bool((values == values.flatten()[0]).all()):
            continue  # biases of zeros and gains of one are equal by design
        key = (tuple(values.shape), values.dtype, float(values.real.double().sum()))
        other = seen.setdefault(key, name)
        if other != name and torch.equal(values, parameters[other].detach()):
            pairs.append((other, name))
    return pairs


def _count(n: int) -> Reading:
    return Reading(n, n, n)
