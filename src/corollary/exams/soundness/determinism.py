"""Repeatability.

In eval mode the same input should give the same output. Dropout that ignores the mode, noise drawn
in forward, or a buffer that forward changes makes the output random. The exam names the first
module whose output differs although its inputs are the same. A forward that writes into its input
changes the data from one epoch to the next.

:source: Srivastava et al. (2014), "Dropout: a simple way to prevent neural networks from
    overfitting", Section 1, on using one network at test time.
:kind: exam
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from corollary.core import Batch, Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.exams.readings import rounded

SAMPLES = 32


class Determinism(Exam):
    """Two forward passes in eval mode, with different random states."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Compare the two, module by module."""
        if subject.writes_input:
            yield self._writes()
        batch = subject.data(SAMPLES)
        with subject.borrowed() as model, torch.no_grad():
            first, one = _trace(subject, model, batch, seed=1)
            second, two = _trace(subject, model, batch, seed=2)
        scale = float(one.cpu().double().pow(2).mean().sqrt()) or 1.0
        gap = float((one - two).abs().cpu().double().pow(2).mean().sqrt()) / scale
        if gap == 0 or (one.isnan() == two.isnan()).all() and not gap > 0:
            yield self.finding(
                "Outputs are repeatable",
                meaning="Two passes in eval mode give identical outputs.",
            )
            return
        where = next((n for n in first if n in second and _chance(first[n], second[n])), "")
        yield self.finding(
            "Randomness in eval mode",
            severity=Severity.MEDIUM,
            evidence=Evidence.CONFIRMED,
            where=where,
            quantity="difference between two passes",
            value=rounded(gap),
            unit="times the size of the outputs",
            expected="0",
            meaning="The same input gives different outputs from one pass to the next.",
            advice=f"Make {repr(where) if where else 'forward'} deterministic in eval mode: "
            "use nn.Dropout or check self.training, and do not keep state between "
            "calls of forward.",
        )

    def _writes(self) -> Finding:
        return self.finding(
            "The network changes its input",
            severity=Severity.MEDIUM,
            evidence=Evidence.CONFIRMED,
            meaning="The forward method writes into the tensor that it receives, so the next "
            "pass over the same data sees different numbers.",
            advice="Write x = x - a instead of x -= a or x.sub_(a), and do not use "
            "inplace=True before the first layer with weights.",
        )


def _trace(
    subject: Subject, model: nn.Module, batch: Batch, seed: int
) -> tuple[dict[str, Any], Tensor]:
    """Inputs and outputs of modules, in the order in which they finish, and the whole output."""
    seen: dict[str, Any] = {}

    def watch(name: str) -> Any:
        def see(_module: nn.Module, inputs: Any, output: Any) -> None:  # gives nothing back
            seen.setdefault(name, _copied((inputs, output)))

        return see

    handles = [m.register_forward_hook(watch(n)) for n, m in model.named_modules() if n]
    torch.manual_seed(seed)
    try:
        return seen, subject.output(batch).detach().clone()
    finally:
        for handle in handles:
            handle.remove()


def _copied(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_copied(part) for part in value]
    return value.detach().clone() if isinstance(value, Tensor) else None


def _chance(a: Any, b: Any) -> bool:
    """Whether equal inputs gave different outputs."""
    return _same(a[0], b[0]) and not _same(a[1], b[1])


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if a is None or b is None:
        return True
    return a.shape == b.shape and bool(torch.equal(a.nan_to_num(), b.nan_to_num()))
