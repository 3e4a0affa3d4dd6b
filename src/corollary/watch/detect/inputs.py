"""Faults visible in a batch: inputs of extreme scale or all equal, targets at a wrong offset."""

from collections import Counter, deque

import torch
from torch import Tensor

from corollary.core.finding import Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.state import Loop, Owned

SCALE = "data/inputs_not_scaled"
ALIKE = "data/identical_inputs"
LEAK = "data/targets_are_inputs"
SHIFT = "data/labels_shifted"
PADDED = "data/padding_counted"
LOOKED_AT = (1, 2, 3, 6)  # steps
AGREE = 0.9  # share of tokens that must be those of the offset


class Inputs(Detector):
    """Looks at the first tensor of a few batches."""

    def __init__(self) -> None:
        self.alike = 0

    @torch.no_grad()
    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Look at this batch."""
        if owned is not loop.main or loop.made not in LOOKED_AT or not loop.passes:
            return
        x = loop.passes[-1].first()
        if x is None or x.device.type != "cpu" or x.dim() < 2 or len(x) < 4:
            return
        self.alike += bool((x[:1] == x[1:]).all())
        if self.alike == len(LOOKED_AT) - 1:
            self._alike(loop, len(x), constant=bool((x == x.flatten()[0]).all()))
        if x.is_floating_point() and not self.alike and loop.made == LOOKED_AT[-1]:
            self._scale(loop, float(x.float().square().mean().sqrt()))

    def _alike(self, loop: Loop, n: int, constant: bool) -> None:
        loop.events.say(
            loop.step,
            found(
                ALIKE,
                "All inputs of a batch are the same",
                Severity.LOW if constant else Severity.MEDIUM,  # one number: there is no state
                f"In each of {self.alike} batches, all {n} rows of the first input are equal.",
                "Check how the data set reads its examples.",
            ),
        )

    def _scale(self, loop: Loop, size: float) -> None:
        if 0 < size < 0.01 or size > 30:
            loop.events.say(
                loop.step,
                found(
                    SCALE,
                    "Inputs are far from unit scale",
                    Severity.LOW,
                    f"The root mean square of the inputs is {size:.2g}. "
                    + (
                        "The inputs hardly affect the first layer."
                        if size < 1
                        else "The gradients of the first layer are far too large."
                    ),
                    "Standardize the inputs once, before training.",
                ),
            )


class Tokens(Detector):
    """Compares class numbers of a sequence model with its input tokens, offset by offset."""

    def __init__(self) -> None:
        self.offsets: deque[int | None] = deque(maxlen=3)
        self.padded = 0

    @torch.no_grad()
    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Find the offset at which targets are tokens."""
        if owned is not loop.main or loop.made not in LOOKED_AT or not loop.passes:
            return
        labels = loop.graphs[-1].labels if loop.graphs else None
        x = loop.passes[-1].first()
        if labels is None or x is None or x.is_floating_point() or x.dim() != 2:
            return
        if labels.device.type != "cpu" or x.device.type != "cpu" or labels.numel() % len(x):
            return
        y = labels.reshape(len(x), -1)
        self.offsets.append(offset(x, y))
        self._say(loop)
        self._padding(loop, x, y)

    def _say(self, loop: Loop) -> None:
        if len(self.offsets) < 3 or len(set(self.offsets)) > 1:
            return
        shift = self.offsets[-1]
        if shift == 0:
            loop.events.say(
                loop.step,
                found(
                    LEAK,
                    "The targets are the inputs",
                    Severity.MEDIUM,
                    "Each target is the input token at the same position, so a model that "
                    "copies its input is always right.",
                    "Predict the next token: compare output[:, :-1] with ids[:, 1:].",
                ),
            )
        elif shift is not None and shift > 1:
            loop.events.say(
                loop.step,
                found(
                    SHIFT,
                    "Targets are shifted more than once",
                    Severity.MEDIUM,
                    f"Each target is the token {shift} positions ahead of its input.",
                    "Shift the labels only once. Many models shift the labels themselves.",
                ),
            )

    def _padding(self, loop: Loop, x: Tensor, y: Tensor) -> None:
        """Most rows end with the same token, and it counts as a target."""
        last = Counter(x[:, -1].tolist()).most_common(1)[0]
        pads = (y == last[0]) & (y >= 0)
        run = (x == last[0]).flip(1).cumprod(1).sum(1)  # tokens at the end that are this one
        often = last[1] > 0.5 * len(x) and float(run.float().mean()) > 3
        self.padded += often and float(pads.float().mean()) > 0.15
        if self.padded == 3:
            loop.events.say(
                loop.step,
                found(
                    PADDED,
                    "Padding counts as a target",
                    Severity.LOW,
                    f"{float(pads.float().mean()):.0%} of the targets are token {last[0]}, "
                    f"and {last[1]} of {len(x)} rows end with this token.",
                    "Set the labels of padding to -100, which cross_entropy ignores.",
                ),
            )


def offset(x: Tensor, y: Tensor) -> int | None:
    """How many positions targets are ahead of their inputs, 0 to 3; None if this is not clear.

    Example:
        >>> ids = torch.arange(20).reshape(2, 10) ** 2 % 7
        >>> offset(ids[:, :-1], ids[:, 1:]), offset(ids, ids)
        (1, 0)
    """
    agree = {}
    for k in range(4):
        a = x[:, k:]
        b = y[:, : a.shape[1]]
        a = a[:, : b.shape[1]]
        there = b >= 0
        if int(there.sum()) < 4:
            return None
        agree[k] = float((a == b)[there].float().mean())
    best = max(agree, key=lambda k: agree[k])
    clear = all(agree[k] < AGREE for k in agree if k != best)
    return best if agree[best] >= AGREE and clear else None
