"""Batches that repeat, an order that never changes, labels in an order, labels not learned."""

import math
from collections import Counter, deque

import torch
from torch import Tensor

from corollary.core.finding import Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.measure.trend import trend
from corollary.watch.state import Loop, Owned, Pass
from corollary.watch.surroundings import Surroundings, look_around

REPEATED = "data/repeated_batch"
ORDER = "data/same_order"
SORTED = "data/sorted_labels"
ONE_CLASS = "data/one_class"
CHANCE = "data/nothing_learned"
FOLLOWED = 4000  # steps; the order of longer epochs is not followed
POINTS = 1024  # values of a batch that make its fingerprint
WEIGHTS = torch.rand(POINTS, generator=torch.Generator().manual_seed(0))
EVERY = 8  # steps between two looks at the labels


def fingerprint(found_pass: Pass) -> int | None:
    """One number for the end of the first input; None where it would wait for a device.

    A random projection: sums would be equal for batches of one-hot rows.
    """
    first = found_pass.first()
    if first is None or first.device.type != "cpu" or first.numel() == 0:
        return None
    flat = first.detach().reshape(-1)[-POINTS:].float()
    weights = WEIGHTS if len(flat) == POINTS else WEIGHTS[: len(flat)]
    return hash((first.shape, float(flat @ weights)))


class Batches(Detector):
    """Follows fingerprints of the training batches."""

    every_step = True

    def __init__(self) -> None:
        self.recent: deque[int | None] = deque(maxlen=24)
        self.first: dict[int, int] = {}  # where a fingerprint was first seen
        self.count = 0
        self.gaps: deque[int] = deque(maxlen=24)  # how long ago each batch was last seen
        self.around: Surroundings | None = None

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Look at the batch of this step."""
        if owned is not loop.main or not loop.passes:
            return
        if loop.made > FOLLOWED and loop.made % 16:
            return  # later only whether one batch is used again and again
        print_ = fingerprint(loop.passes[-1])
        if print_ is None:
            return
        self.recent.append(print_)
        if loop.made <= FOLLOWED:
            self.gaps.append(self.count - self.first.get(print_, self.count))
            self.first[print_] = self.count
        self.count += 1
        if loop.made == 2:
            self.around = look_around(owned.optimizer)
        if self.count >= 24 and self.count % 8 == 0:
            self._repeated(loop)
            if loop.made <= FOLLOWED:
                self._order(loop)

    def _repeated(self, loop: Loop) -> None:
        if len(set(self.recent)) > 1:
            loop.events.passes(REPEATED, loop.step)
            return
        loader = None if self.around is None else self.around.loader(loop.passes[-1].size)
        batches = 1 if loader is None else len(loader)
        more = batches > 1
        loop.events.say(
            loop.step,
            found(
                REPEATED,
                "Every step uses the same batch",
                Severity.MEDIUM if more else Severity.LOW,
                f"The last {len(self.recent)} steps used the same batch"
                + (f", although the loader has {batches} batches." if more else "."),
                "Take a new batch in each step: next(iter(loader)) inside the loop starts the "
                "loader again each time."
                if more
                else "This is right for full-batch training only.",
            ),
        )

    def _order(self, loop: Loop) -> None:
        if len(set(self.recent)) < 3:
            return
        gaps = set(self.gaps)
        if len(gaps) == 1 and (epoch := gaps.pop()) >= 3:
            loop.events.say(
                loop.step,
                found(
                    ORDER,
                    "Batches come in the same order in every epoch",
                    Severity.LOW,
                    f"For {len(self.gaps)} steps each batch was the same as {epoch} steps earlier: "
                    "the data are not shuffled between epochs.",
                    "Pass shuffle=True to the DataLoader of the training data.",
                ),
            )


class Labels(Detector):
    """Follows class numbers, where the loss is torch's cross entropy."""

    every_step = True

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()
        self.agree: list[float] = []  # chance that two labels of a batch agree

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Count the labels of this batch."""
        if owned is not loop.main or loop.made % (EVERY if loop.made < 200 else 4 * EVERY):
            return
        labels = loop.graphs[-1].labels if loop.graphs else None
        if labels is not None and labels.device.type == "cpu":
            self._count(labels)
            if len(self.agree) >= 8:
                self._sorted(loop)
                self._chance(loop)

    def _count(self, labels: Tensor) -> None:
        flat = labels.reshape(-1)
        flat = flat[flat >= 0]
        if len(flat) < 2:
            return
        values, counts = torch.unique(flat, return_counts=True)
        self.counts.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))
        n = float(counts.sum())
        self.agree.append(float((counts * (counts - 1)).sum()) / (n * (n - 1)))

    def _sorted(self, loop: Loop) -> None:
        total = sum(self.counts.values())
        overall = sum((c / total) ** 2 for c in self.counts.values())
        within = sum(self.agree) / len(self.agree)
        if len(self.counts) == 1 and total >= 500:
            loop.events.say(
                loop.step,
                found(
                    ONE_CLASS,
                    "All labels are the same",
                    Severity.MEDIUM,
                    f"All of {total} labels seen so far are {next(iter(self.counts))}.",
                    "Look at how labels are read, and whether the data are sorted by class.",
                ),
            )
        # Two labels of a shuffled batch agree as often as two of different batches.
        elif within > 0.9 and overall < 0.6:
            loop.events.say(
                loop.step,
                found(
                    SORTED,
                    "The data are sorted by class",
                    Severity.MEDIUM,
                    f"Two labels of one batch agree with probability {within:.2f}, two labels of "
                    f"the whole run with probability {overall:.2f}: batches hold one class each.",
                    "Shuffle the training data.",
                    within=within,
                    overall=overall,
                ),
            )
            loop.events.drop(ONE_CLASS)
        elif len(self.counts) > 1:
            loop.events.passes(ONE_CLASS, loop.step)

    def _chance(self, loop: Loop) -> None:
        """The loss of predicting frequencies is the entropy of the labels."""
        total = sum(self.counts.values())
        entropy = -sum(c / total * math.log(c / total) for c in self.counts.values())
        values = loop.loss_values(200)
        if loop.made < 300 or len(values) < 200 or entropy < 0.1 or len(self.counts) > 1000:
            return
        level = sum(values) / len(values)
        slope = trend(values)
        still = slope is not None and slope.low <= 0 <= slope.high
        # Within 3 % of chance, and no fall that noise does not explain.
        if still and abs(level - entropy) < 0.03 * entropy:
            loop.events.say(
                loop.step,
                found(
                    CHANCE,
                    "Nothing has been learned beyond the frequencies of the labels",
                    Severity.MEDIUM,
                    f"After {loop.made} steps the loss is {level:.3f}; predicting the "
                    f"frequencies of the {len(self.counts)} labels for every input gives "
                    f"{entropy:.3f}.",
                    "Check that labels belong to their inputs (a shuffle of one without the "
                    "other), then the learning rate.",
                    level=level,
                    entropy=entropy,
                ),
            )
        elif level < 0.9 * entropy:
            loop.events.passes(CHANCE, loop.step)
