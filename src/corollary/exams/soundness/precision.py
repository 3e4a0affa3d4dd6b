"""Range and precision of the numbers.

The largest activation against the largest number of the type it is computed in, and of the half
precisions that mixed-precision training would use; and parameters of several types, whose products
are either refused or silently computed in the wider one.

:source: Micikevicius et al. (2018), "Mixed precision training", Section 3.
:kind: exam
:cost: instant
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.exams.readings import rounded

SAMPLES = 64
ROOM = 10.0  # activations grow in training; a factor of ten is soon used up


class Precision(Exam):
    """Types of the parameters and sizes of the activations."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Mixed types first, then the range."""
        yield from self._types(subject.model)
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
            expected=f"well below {own:.2g}, the largest {_word(wide)}",
            meaning=_meaning(largest, half, near),
            advice="Normalise the inputs or the layer before it, or compute in a wider type."
            if near
            else "",
        )

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
                meaning=f"Parameters are {words}; torch refuses most products of two types.",
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
        return "There is room in this type; float16 would overflow, bfloat16 would not."
    return "There is room, also in half precision."
