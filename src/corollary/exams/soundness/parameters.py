"""Use of the parameters.

A parameter that gets no gradient is not trained, whether it was frozen, forgotten in forward or cut
off by a detach. Two names for one tensor are shared weights, which is fine. Two tensors with equal
random values are a copy that should have been shared, or the result of setting a seed twice.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 4, on backpropagation.
:kind: exam
:claims: backprop_correctness, hidden_unit_permutation
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterator

import torch
from torch import Tensor, nn

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import counted

SAMPLES = 64


class Parameters(Exam):
    """Unused, frozen, shared and duplicated parameters."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Parameters that no gradient reaches, and parameters that occur twice."""
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
                evidence=Evidence.CONFIRMED,
                where="" if whole else _common(frozen),
                value=counted(len(frozen)),
                unit=f"of {len(every)} tensors",
                meaning="Nothing can be trained."
                if whole
                else f"These tensors keep their values during training; '{frozen[0]}' is one "
                "of them.",
                advice="If this is not intended, call requires_grad_(True) on these tensors.",
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
            evidence=Evidence.CONFIRMED,
            where=_common(unused),
            value=counted(len(unused)),
            unit=f"of {len(parameters)} trainable tensors",
            expected="0",
            meaning="The loss does not depend on these tensors, so training does not change "
            "them. Their layers are never used in forward, or are detached from the "
            "loss.",
            advice=_looped(subject, unused)
            or f"Use '{unused[0]}' in forward, remove a detach() or no_grad() between it and "
            "the loss, or delete it.",
            claims=("backprop_correctness",),
            details={"unused": unused},
        )

    def _twice(self, model: nn.Module) -> Iterator[Finding]:
        names: dict[int, list[str]] = {}
        for name, p in model.named_parameters(remove_duplicate=False):
            names.setdefault(id(p), []).append(name)
        shared = [found for found in names.values() if len(found) > 1]
        repeated = [found for found in shared if _numbered(found)]
        if repeated:
            yield self.finding(
                "One layer is used in several places",
                severity=Severity.MEDIUM,
                remedy="separate layers",
                where=repeated[0][1].rpartition(".")[0],
                value=counted(len(repeated[0])),
                unit="places with the same weights",
                meaning=f"'{repeated[0][0]}' and '{repeated[0][1]}' are the same tensor (tied "
                "weights). Multiplying a list, as in [layer] * n, repeats one layer.",
                advice="Create each layer separately: nn.ModuleList(make() for _ in range(n)), "
                "unless "
                "sharing is intended.",
                change="- nn.ModuleList([layer] * n)\n+ nn.ModuleList(make() for _ in range(n))",
            )
        elif shared:
            yield self.finding(
                "Shared parameters",
                value=counted(len(shared)),
                unit="tensor" if len(shared) == 1 else "tensors",
                meaning=f"'{shared[0][1]}' is the same tensor as '{shared[0][0]}'. Its "
                "gradient is the sum over both uses.",
                details={"shared": shared},
            )
        copies = _copies(dict(model.named_parameters()))
        if copies:
            one, other = copies[0]
            place = _common([copy for _, copy in copies])
            by_torch = _copied_by_torch(model, [copy for _, copy in copies])
            yield self.finding(
                "Copied values",
                severity=Severity.LOW if by_torch else Severity.MEDIUM,
                evidence=Evidence.CONFIRMED,
                where=place,
                value=counted(len(copies)),
                unit="copy" if len(copies) == 1 else "copies",
                meaning=f"'{one}' and '{other}' are two tensors with the same random values.",
                advice="If one shared tensor is intended, use the same tensor in both places. "
                "Otherwise initialise the second tensor separately, because deepcopy "
                "copies the values.",
                claims=("hidden_unit_permutation",),
                details={"pairs": [list(pair) for pair in copies]},
            )


def _looped(subject: Subject, unused: list[str]) -> str:
    """Advice if one layer of a list is called several times and others never; otherwise empty."""
    times: Counter[str] = Counter()
    named = {n: m for n, m in subject.model.named_modules() if n.rpartition(".")[2].isdigit()}
    handles = [
        m.register_forward_pre_hook(lambda *_, n=n: times.update([n])) for n, m in named.items()
    ]
    try:
        with subject.borrowed(), torch.no_grad():
            subject.call(subject.data(2))
    finally:
        for handle in handles:
            handle.remove()
    lists = {n.rpartition(".")[0] for n in named if any(u.startswith(f"{n}.") for u in unused)}
    for name, count in times.items():
        holder = name.rpartition(".")[0]
        if count > 1 and holder in lists:
            return (
                f"'{name}' is called {count} times and the other layers of '{holder}' are "
                "never called. The loop uses the same layer each time; write for layer in "
                f"self.{holder}: x = layer(x)."
            )
    return ""


def _copied_by_torch(model: nn.Module, names: list[str]) -> bool:
    """Whether all copies are layers of torch's own transformers, which copies them itself."""
    stacks = [
        name
        for name, m in model.named_modules()
        if isinstance(m, nn.TransformerEncoder | nn.TransformerDecoder)
    ]
    return all(any(n.startswith(f"{s}." if s else "") for s in stacks) for n in names)


def _numbered(names: list[str]) -> bool:
    """Whether names differ only in an index, as in a list of layers."""
    return len({re.sub(r"\d+", "#", name) for name in names}) == 1


def _copies(parameters: dict[str, nn.Parameter]) -> list[tuple[str, str]]:
    """Pairs of tensors with equal, not constant, values."""
    seen: dict[tuple[object, ...], str] = {}
    pairs = []
    for name, p in parameters.items():
        values = p.detach()
        if values.numel() < 4 or bool((values == values.flatten()[0]).all()):
            continue  # biases of zeros and gains of one are equal by design
        key = (tuple(values.shape), values.dtype, float(values.real.cpu().double().sum()))
        other = seen.setdefault(key, name)
        if other != name and torch.equal(values, parameters[other].detach()):
            pairs.append((other, name))
    return pairs


def _common(names: list[str]) -> str:
    """The innermost module that holds all of them, or the first name if that is the whole."""
    if len(names) == 1:
        return names[0]
    holders = zip(*(name.split(".")[:-1] for name in names), strict=False)
    shared = itertools.takewhile(lambda parts: len(set(parts)) == 1, holders)
    return ".".join(parts[0] for parts in shared) or names[0]
