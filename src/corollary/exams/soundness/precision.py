"""Range and precision of the numbers.

The exam compares the largest activation with the largest number of its type, and of the
half-precision types of mixed-precision training. It also looks for parameters of several types,
whose products either raise an error or are silently computed in the wider type.

:source: Micikevicius et al. (2018), "Mixed precision training", Section 3.
:kind: exam
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import rounded

SAMPLES = 64
TINY = 2.0**-24  # the smallest positive float16
MANY = 0.5  # of all gradients: half of the network does not move
ROOM = 10.0  # activations grow in training; a factor of ten is soon used up


class Precision(Exam):
    """Types of the parameters and sizes of the activations."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Mixed types first, then the range."""
        yield from self._types(subject.model)
        yield from self._epsilon(subject)
        yield from self._small_gradients(subject)
        batch = subject.data(SAMPLES)
        sizes: dict[str, float] = {}
        with subject.borrowed() as model, torch.no_grad():
            for name, module in model.named_modules():
                module.register_forward_hook(_watch(name, sizes))
            subject.call(batch)
        if not sizes:
            return
        name = max(sizes, key=sizes.__getitem__)
        largest = sizes[name]
        half = torch.finfo(torch.float16).max
        wide = next(subject.model.parameters(), torch.empty(0)).dtype
        own = torch.finfo(wide).max if wide.is_floating_point or wide.is_complex else half
        near = largest * ROOM > own
        yield self.finding(
            "Activations near overflow" if near else "Largest activation",
            severity=Severity.HIGH if near else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            where=name,
            value=rounded(largest),
            expected=f"well below {own:.2g}, the largest {_word(wide)} number",
            meaning=_meaning(largest, half, near),
            advice="Normalise the inputs or the layer before this one, or compute in a wider type."
            if near
            else "",
        )

    def _small_gradients(self, subject: Subject) -> Iterator[Finding]:
        """The share of gradients that half precision rounds to zero."""
        try:
            batch = subject.labelled(SAMPLES)
        except NotApplicableError:
            return
        with subject.borrowed(train=True):
            loss = subject.loss(batch)
            held = [p for p in subject.parameters().values() if p.is_floating_point()]
            if not loss.requires_grad or not held:
                return
            found = torch.autograd.grad(loss, held, allow_unused=True)
        values = torch.cat([g.detach().abs().flatten().float() for g in found if g is not None])
        half = any(p.dtype == torch.float16 for p in held)
        if half:
            share = float((values == 0).cpu().double().mean())
        else:
            nonzero = values[values > 0]
            share = float((nonzero < TINY).cpu().double().mean()) if len(nonzero) else 0.0
        many = share > MANY
        yield self.finding(
            "Gradients that vanish in half precision" if many else "Gradients in half precision",
            severity=Severity.MEDIUM if many and half else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            value=rounded(100 * share),
            unit="% of the gradients are zero in float16"
            if half
            else "% of the gradients would be zero in float16",
            expected=f"below {100 * MANY:g} %",
            meaning="These gradients are below 6e-8, the smallest positive float16 number, "
            "and are rounded to 0."
            if many
            else "Few gradients are below 6e-8, the smallest positive float16 number.",
            advice="Scale the loss (torch.amp.GradScaler), or train in bfloat16 or float32."
            if many and half
            else "",
        )

    def _epsilon(self, subject: Subject) -> Iterator[Finding]:
        """An optimizer's epsilon that is zero in the type of the weights."""
        optimizer = subject.recipe.optimizer
        for group in [] if optimizer is None else optimizer.param_groups:
            eps = float(group.get("eps") or 0.0)
            types = {p.dtype for p in group["params"] if p.is_floating_point()}
            lost = [t for t in types if eps > 0 and float(torch.tensor(eps, dtype=t)) == 0]
            if lost:
                smallest = torch.finfo(lost[0]).smallest_normal
                yield self.finding(
                    "The optimizer's epsilon is zero in half precision",
                    severity=Severity.HIGH,
                    evidence=Evidence.CONFIRMED,
                    value=rounded(eps),
                    unit=f"is rounded to 0 in {_word(lost[0])}",
                    expected=f"above {smallest:.1g}",
                    meaning="Where a gradient is zero, the optimizer divides 0 by 0. A "
                    "single NaN then spreads to all weights.",
                    advice="Use eps=1e-4, or keep the weights in float32 and compute in half "
                    "precision with torch.autocast.",
                    explains=("trainability/*", "learning/*"),
                    change=f"- eps={eps:g}\n+ eps=1e-4",
                )
                return

    def _types(self, model: nn.Module) -> Iterator[Finding]:
        types: dict[torch.dtype, str] = {}
        for name, p in model.named_parameters():
            types.setdefault(p.dtype, name)
        if len(types) > 1:
            words = ", ".join(_word(t) for t in types)
            yield self.finding(
                "Parameters of several types",
                severity=Severity.LOW,
                where=list(types.values())[-1],
                meaning=f"Parameters are {words}. PyTorch rejects most products of two "
                "different types.",
                advice="Cast the module to one type with module.to(torch.float32).",
            )


def _watch(name: str, sizes: dict[str, float]) -> Any:
    def hook(_module: nn.Module, _inputs: Any, output: Any) -> None:
        if isinstance(output, Tensor) and output.numel() and not output.dtype == torch.bool:
            size = float(output.abs().max())
            if size == size:  # not a NaN, which is another exam's matter
                sizes[name] = max(sizes.get(name, 0.0), size)

    return hook


def _word(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _meaning(largest: float, half: float, near: bool) -> str:
    if near:
        return "Activations are within a factor of ten of overflow."
    if largest * ROOM > half:
        return (
            "Activations are well within the range of this type. In float16 the activations "
            "would overflow, and in bfloat16 they would not."
        )
    return "Activations are well within the range, also in half precision."
