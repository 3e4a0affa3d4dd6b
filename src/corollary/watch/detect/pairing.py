r"""Whether targets belong to their inputs: the loss compared with the loss of exchanged targets.

With the outputs of a batch, the loss of each example is compared with the loss that the target of
another example would have there. If targets have nothing to do with their inputs, both losses have
the same mean for every network. If the network has learned something, the first is smaller on a new
batch. The advantage is averaged over batches, with Student's interval. It decides once the sharpest
direction of the loss has had time to be learned: :math:`\sum_t \eta_t \lambda_t` counts the time
constants of that direction that have passed.
"""

import math
from collections import deque
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from corollary.core.finding import Severity
from corollary.core.measurement import Reading
from corollary.theory.confidence.mean import student
from corollary.theory.optimization.stability import reach
from corollary.watch.detect.detector import Detector, found
from corollary.watch.loss_graph import KINDS, path_to_loss
from corollary.watch.state import Loop, Owned

CHANCE = "data/nothing_learned"
ROWS = 512  # targets of a batch that are exchanged
LOOKS = 24  # batches that the advantage is averaged over
EVERY = 3  # steps between two looks
TIME = 5.0  # time constants of the sharpest direction before anything is said
LONG = 300  # steps instead, where the curvature is not known
LITTLE = 0.01  # of what exchanging could cost, in nats or variances: nothing
PRECISE = 0.05  # an interval around zero that would have shown what is learned by then


class Pairing(Detector):
    """Follows the advantage of the true targets."""

    every_step = True

    def __init__(self) -> None:
        self.advantages: deque[float] = deque(maxlen=LOOKS)
        self.scales: deque[float] = deque(maxlen=LOOKS)
        self.time = 0.0  # time constants of the sharpest direction that have passed
        self.rates: deque[float] = deque(maxlen=30)  # of the last steps
        self.curvature = math.nan  # as the optimizer sees it, where it was measured

    def on_reading(self, loop: Loop, name: str, value: float) -> None:
        """The curvature: learning rate times curvature, divided by the learning rate."""
        if name == "stability" and loop.main is not None:
            rate = float(loop.main.optimizer.param_groups[0]["lr"])
            if rate > 0:
                self.curvature = max(0.0, value) * reach(loop.main.optimizer) / rate

    def on_backward_begin(self, loop: Loop, roots: Sequence[Tensor]) -> None:
        """Exchange the targets of this batch."""
        if loop.made % EVERY or not roots or roots[0].grad_fn is None or loop.made > 10 * LONG:
            return
        *_, node = path_to_loss(roots[0])
        kind = KINDS.get(node.name())
        if kind is not None and loop.made and not _of_inputs(node, loop):
            look = advantage(node, kind, loop.made // EVERY)
            if look is not None and all(map(math.isfinite, look)):
                self.advantages.append(look[0])
                self.scales.append(look[1])

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Count the time, and decide from time to time."""
        if owned is loop.main:
            self.rates.append(owned.rate)
            self.time += 0.0 if math.isnan(self.curvature) else owned.rate * self.curvature
        if owned is not loop.main or loop.made % 10 or len(self.advantages) < LOOKS:
            return
        n = len(self.advantages)
        mean = sum(self.advantages) / n
        scale = sum(self.scales) / n
        spread = math.sqrt(sum((a - mean) ** 2 for a in self.advantages) / (n - 1) / n)
        half = student(n - 1, 0.95) * spread
        warm = owned.rate <= 1.01 * self.rates[0]  # a warm-up is over
        known = not math.isnan(self.curvature)
        patient = self.time >= TIME and loop.made >= 80 and warm if known else loop.made >= LONG
        none = mean + half < (PRECISE if mean - half < 0 else LITTLE) * scale
        if patient and none:
            loop.events.say(loop.step, _nothing(loop, mean, half, scale))
        elif mean - half > PRECISE * scale:
            loop.events.passes(CHANCE, loop.step)


def _nothing(loop: Loop, mean: float, half: float, scale: float) -> Any:
    return found(
        CHANCE,
        "The network has not learned which target belongs to which input",
        Severity.MEDIUM,
        f"After {loop.made} steps, exchanging the targets within a batch would change the loss "
        f"by {mean:.2g} ± {half:.1g}; a change of {scale:.2g} could be learned. The outputs say "
        "no more about their own targets than about the targets of other examples.",
        "Check that inputs and targets belong together (perhaps only one of them was "
        "shuffled), then check the learning rate.",
        value=Reading(mean, mean - half, mean + half),
    )


def _of_inputs(node: Any, loop: Loop) -> bool:
    """Whether the targets are the inputs, as in an autoencoder: they belong together."""
    first = loop.passes[-1].first() if loop.passes else None
    return first is not None and first.data_ptr() == node._saved_target.data_ptr()


@torch.no_grad()
def advantage(node: Any, kind: str, shift: int = 1) -> tuple[float, float] | None:
    """Mean loss of exchanged targets minus mean loss of true targets; and how much can be learned.

    The second is the entropy of the targets, or their variance. None if too few targets differ.

    Example:
        >>> z = torch.eye(4, requires_grad=True)
        >>> loss = torch.nn.functional.mse_loss(z, torch.eye(4))
        >>> advantage(loss.grad_fn, "mse")
        (0.5, 0.1875)
    """
    outputs, targets = node._saved_self, node._saved_target
    if outputs.device.type != "cpu":
        return None
    if kind == "cross entropy":
        return _of_classes(outputs.movedim(1, -1).reshape(-1, outputs.shape[1]), targets, shift)
    if len(outputs) < 4 or kind not in ("mse", "l1", "smooth l1", "bce"):
        return None
    z, y = outputs[:ROWS].float(), targets[:ROWS].float()
    other = y.roll(1 + shift % (len(y) - 1), 0)
    true, exchanged = _squares(z, y, kind), _squares(z, other, kind)
    return float(exchanged - true), float(y.var(0, correction=0).mean())


def _squares(z: Tensor, y: Tensor, kind: str) -> Tensor:
    """The part of the loss that depends on both: a logit times its label, or a square."""
    return -(z * y).mean() if kind == "bce" else (z - y).square().mean()


def _of_classes(logs: Tensor, targets: Tensor, shift: int) -> tuple[float, float] | None:
    rows = (targets.reshape(-1) >= 0).nonzero().squeeze(1)
    rows = rows[:: max(1, len(rows) // ROWS)][:ROWS]
    if len(rows) < 4:
        return None
    y = targets.reshape(-1)[rows]
    other = y.roll(1 + shift % (len(y) - 1))
    differ = y != other
    if int(differ.sum()) < 4:
        return None
    true, exchanged = logs[rows, y], logs[rows, other]
    p = torch.unique(y, return_counts=True)[1].double() / len(y)
    return float((true - exchanged)[differ].mean()), float(-(p * p.log()).sum())
