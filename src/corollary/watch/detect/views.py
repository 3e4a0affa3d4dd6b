"""Two identical views of an example: the augmentation that should differ has no effect."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.detect.examples import row_marks
from corollary.watch.state import Loop, tensors_in

SAME = "data/identical_views"
LOOKED_AT = frozenset((1, 2, 3, 4, 6, 8))  # steps
TIMES = 3


class Views(Detector):
    """Compares the outputs at which one backward pass begins."""

    def __init__(self) -> None:
        self.outputs: list[Tensor] = []
        self.same = self.doubled = 0

    def on_answer(self, loop: Loop, output: Any) -> None:
        """Keep the output until the backward pass."""
        given = [t for t in tensors_in(output) if t.is_floating_point() and t.requires_grad]
        if loop.made in LOOKED_AT and given and len(self.outputs) < 4:
            self.outputs.append(given[0])

    @torch.no_grad()
    def on_backward_begin(self, loop: Loop, roots: Sequence[Tensor]) -> None:
        """Compare."""
        outputs, self.outputs = self.outputs, []
        if loop.made not in LOOKED_AT or not outputs or not loop.passes:
            return
        pairs = [(a, b) for i, a in enumerate(outputs) for b in outputs[:i] if a.shape == b.shape]
        if any(a.dim() > 1 and len(a) > 3 and torch.equal(a, b) for a, b in pairs):
            self.same += 1
        first = loop.passes[-1].first()
        marks = row_marks(first) if first is not None and first.device.type == "cpu" else []
        self.doubled += len(marks) >= 8 and 2 * len(set(marks)) == len(marks)
        if TIMES in (self.same, self.doubled):
            loop.events.say(loop.step, _identical(self.same >= TIMES))


def _identical(calls: bool) -> Finding:
    what = (
        "The model is called twice for one loss, and both outputs are identical"
        if calls
        else "Each example occurs twice in the batch, with identical inputs"
    )
    return found(
        SAME,
        "Two views of the examples are identical",
        Severity.LOW,
        f"{what}. If these should be two augmented views, the augmentation is applied only "
        "once, or with the same random numbers, and the task is trivial.",
        "Draw a new augmentation for each view.",
    )
