"""Ignored targets: a whole batch, or the end of the text together with the padding."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.state import Loop, Owned

IGNORED = "data/labels_ignored"
END = "data/end_never_target"
LOOKS = 24  # steps


class Targets(Detector):
    """Looks at the labels of the first steps."""

    def __init__(self) -> None:
        self.empty = self.looks = 0
        self.ends = self.learned = 0  # ends of texts, and those among them that are targets

    @torch.no_grad()
    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Count."""
        if owned is not loop.main or loop.made >= LOOKS or not loop.passes:
            return
        labels = loop.graphs[-1].labels if loop.graphs else None
        if labels is not None and labels.device.type == "cpu" and labels.numel():
            self.looks += 1
            self.empty += not bool((labels >= 0).any())
            if self.empty >= 3 and self.empty == self.looks:
                loop.events.say(loop.step, _ignored(self.empty))
        self._ends(loop, loop.passes[-1].kwargs)

    def _ends(self, loop: Loop, given: Mapping[str, Any]) -> None:
        """The last attended token of rows that are padded with the same token."""
        ids, mask, labels = (given.get(k) for k in ("input_ids", "attention_mask", "labels"))
        if not all(isinstance(t, Tensor) and t.dim() == 2 for t in (ids, mask, labels)):
            return
        assert isinstance(ids, Tensor) and isinstance(mask, Tensor) and isinstance(labels, Tensor)
        if ids.shape != mask.shape or ids.shape != labels.shape or ids.device.type != "cpu":
            return
        last = mask.long().sum(1) - 1
        rows = ((last > 0) & (last < ids.shape[1] - 1)).nonzero().squeeze(1)
        last = last[rows]
        padded = ids[rows, last] == ids[rows, -1]
        before = labels[rows, last - 1] >= 0
        self.ends += int((padded & before).sum())
        self.learned += int((padded & (labels[rows, last] >= 0)).sum())
        if self.ends >= 64 and not self.learned:
            loop.events.say(loop.step, _end(int(ids[rows[0], -1]), self.ends))


def _ignored(batches: int) -> Finding:
    return found(
        IGNORED,
        "All labels are ignored",
        Severity.HIGH,
        f"In the first {batches} batches every label is -100 (or another negative number). "
        "The loss ignores such labels, so it is a mean over no targets.",
        "Check how labels are masked. Perhaps the template that marks the answer is never found "
        "in the text.",
    )


def _end(token: int, times: int) -> Finding:
    return found(
        END,
        "The end of the text is never a target",
        Severity.MEDIUM,
        f"Token {token} ends the texts and is also the padding token. None of {times} such end "
        "tokens is a target, because the labels of end tokens are masked (-100) together with "
        "the padding. The model never learns to stop.",
        "Use a padding token that differs from the end-of-sequence (EOS) token, or mask "
        "labels with attention_mask.",
    )
