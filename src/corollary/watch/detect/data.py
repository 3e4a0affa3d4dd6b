"""Batches that repeat, an order that never changes, labels that are sorted."""

from collections import Counter, deque

import torch
from torch import Tensor

from corollary.core.finding import Severity
from corollary.watch.detect.detector import Detector, found, listed
from corollary.watch.detect.fingerprint import fingerprint
from corollary.watch.state import Loop, Owned
from corollary.watch.surroundings import Surroundings, look_around

REPEATED = "data/repeated_batch"
ORDER = "data/same_order"
SORTED = "data/sorted_labels"
ONE_CLASS = "data/one_class"
DOUBLE = "data/duplicated_batches"
IMBALANCED = "data/imbalanced"
UNSEEN = "data/class_never_seen"
CLASSES = 200  # of which each should have come
MAJORITY = 0.9  # share of one class
NEAR = 8  # steps within which a batch that comes back was not shuffled
FOLLOWED = 2000  # steps; the order of longer epochs is not followed
EVERY = 8  # steps between two looks at the labels


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
                self._duplicates(loop)

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
                "Use a new batch in each step. Calling next(iter(loader)) inside the loop "
                "restarts the loader each time."
                if more
                else "This is correct only for full-batch training.",
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
                    f"For {len(self.gaps)} steps each batch was the same as the batch {epoch} "
                    "steps earlier. The data are not shuffled between epochs.",
                    "Pass shuffle=True to the DataLoader of the training data.",
                ),
            )

    def _duplicates(self, loop: Loop) -> None:
        """Some batches are new, and equally many are repeated after a few steps."""
        back = sum(0 < gap <= NEAR for gap in self.gaps)
        fresh = sum(gap == 0 for gap in self.gaps)
        if back >= 8 and fresh >= 8:
            loop.events.say(
                loop.step,
                found(
                    DOUBLE,
                    "Batches are used more than once",
                    Severity.LOW,
                    f"{back} of the last {len(self.gaps)} batches had already been used at "
                    f"most {NEAR} steps earlier.",
                    "If this is not intended, check whether each worker reads the whole data "
                    "set. An IterableDataset has to be split between workers.",
                ),
            )


class Labels(Detector):
    """Follows class numbers, where the loss is torch's cross entropy."""

    every_step = True

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()
        self.classes = 0  # outputs of the network
        self.agree: list[float] = []  # chance that two labels of a batch agree

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Count the labels of this batch."""
        if owned is not loop.main or loop.made % (EVERY if loop.made < 200 else 4 * EVERY):
            return
        labels = loop.graphs[-1].labels if loop.graphs else None
        if labels is not None and labels.device.type == "cpu":
            self.classes = loop.graphs[-1].classes
            self._count(labels)
            if len(self.agree) >= 8:
                self._sorted(loop)

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
                    f"All {total} labels seen so far are {next(iter(self.counts))}.",
                    "Check how the labels are read, and whether the data are sorted by class.",
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
                    f"Two labels of one batch agree with probability {within:.2f}; two labels "
                    f"of the whole run agree with probability {overall:.2f}. Each batch holds "
                    "mostly one class.",
                    "Shuffle the training data.",
                    within=within,
                    overall=overall,
                ),
            )
            loop.events.drop(ONE_CLASS)
        elif len(self.counts) > 1:
            loop.events.passes(ONE_CLASS, loop.step)
            self._imbalanced(loop, total)
            self._unseen(loop, total)

    def _unseen(self, loop: Loop, total: int) -> None:
        """With this many labels, every class that exists would have occurred."""
        unseen = sorted(set(range(self.classes)) - set(self.counts))
        if 2 < self.classes <= CLASSES and total >= 50 * self.classes and unseen:
            loop.events.say(
                loop.step,
                found(
                    UNSEEN,
                    "Some classes never occur",
                    Severity.LOW,
                    f"The network has {self.classes} outputs, but none of the {total} labels "
                    f"so far is {listed([str(c) for c in unseen])} (the largest label is "
                    f"{max(self.counts)}).",
                    "Labels may be shifted by one, or classes may be missing from the split.",
                ),
            )
        elif not unseen:
            loop.events.passes(UNSEEN, loop.step)

    def _imbalanced(self, loop: Loop, total: int) -> None:
        label, count = self.counts.most_common(1)[0]
        if total >= 500 and count > MAJORITY * total:
            loop.events.say(
                loop.step,
                found(
                    IMBALANCED,
                    "Almost all labels are of one class",
                    Severity.LOW,
                    f"{count} of {total} labels seen so far are {label}, the majority class. "
                    f"A constant answer is right in {count / total:.0%} of the cases.",
                    "Check how the labels are read. For imbalanced classes, weight the loss "
                    "or the sampler, and do not rely on accuracy alone.",
                ),
            )
