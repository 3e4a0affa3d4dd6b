"""Frozen parts that still change: running statistics of batch norm."""

from torch import nn

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found, listed
from corollary.watch.event import Streak
from corollary.watch.state import Loop, Owned

STATISTICS = "mode/frozen_batch_norm"
NEW = 2  # batches that a layer has seen after the first step, if it was new
Norm = nn.modules.batchnorm._BatchNorm


class FrozenStatistics(Detector):
    """Batch norm layers whose weights are not trained and whose statistics change."""

    LOOKS = 4  # steps in a row, of any optimizer: adversaries freeze each other in turn

    def __init__(self) -> None:
        self.tracked: dict[str, int] = {}  # batches that a layer has counted
        self.trained: set[str] = set()  # layers with statistics of this run, not of another one
        self.streak = Streak(self.LOOKS, release=5)

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Compare the counts of batches."""
        if loop.turn > 40 and loop.turn % 16 > self.LOOKS:
            return
        owned_ids = {id(p) for each in loop.owned.values() for p in each.parameters}
        moving, flagged = [], False
        for name, norm in loop.model.named_modules():
            if not isinstance(norm, Norm) or norm.num_batches_tracked is None:
                continue
            count, weights = int(norm.num_batches_tracked), list(norm.parameters())
            if name not in self.tracked and count <= NEW:
                self.trained.add(name)
            moved = count > self.tracked.get(name, count)
            self.tracked[name] = count
            off = bool(weights) and not any(p.requires_grad for p in weights)
            if any(p.requires_grad and id(p) in owned_ids for p in weights):
                self.trained.add(name)
            if moved and (off or (weights and not any(id(p) in owned_ids for p in weights))):
                moving.append(name)
                # What was new or trained in this run has the statistics of its data anyway.
                flagged |= off and name not in self.trained
        new = self.streak.see(bool(moving) and bool(owned_ids))
        if new:
            loop.events.say(loop.step, _moves(moving, flagged))
        elif new is False:
            loop.events.passes(STATISTICS, loop.step)


def _moves(names: list[str], flagged: bool) -> Finding:
    return found(
        STATISTICS,
        "Statistics of frozen batch norm layers still change",
        Severity.MEDIUM if flagged else Severity.LOW,
        f"The weights of {listed(names)} are not trained"
        + (" (requires_grad=False from the start)" if flagged else "")
        + ", but these layers are in training mode. These layers normalize with batch "
        "statistics, and their running mean and variance adapt to the new data.",
        "Call .eval() on the frozen part after every model.train().",
        where=names[0],
    )
