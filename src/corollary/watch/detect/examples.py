r"""The rows a loop trains on: how many are different, and whether evaluations use them too.

Rows are recognised by a random projection. S draws with replacement from N examples contain
:math:`N(1 - e^{-S/N})` different examples, and draws without replacement contain more. If a run
shows far fewer, its sampler uses only a part of the data. The mean and the spread of the first
numbers of a batch are followed too: if they drift, the data are being changed.
"""

import math
import re
import statistics
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Subset, TensorDataset

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.detect.fingerprint import POINTS, WEIGHTS
from corollary.watch.state import Loop, Owned, tensors_in
from corollary.watch.surroundings import Surroundings, look_around, variables

FEW = "data/few_examples"
SEEN = "data/held_out_seen"
TRAINED = "data/held_out_trained"
DRIFT = "data/inputs_drift"
EVERY = 4  # steps between two looks, after the first ones
MOST = 20_000  # rows that are kept
DRAWS = 200  # before the number of different rows is judged
COLUMNS = 6  # of a row: shorter ones may be equal by chance
PART = 0.3  # of the rows that as many draws should have shown
SHIFT = 3.0  # of the spread, or times it: inputs that have left where they began
LOOKS = 8
ROWS = 4096  # of a loader for validation
HELD_OUT = re.compile(r"val(id|_|$)|test|held|dev_|eval", re.I)


class Examples(Detector):
    """Projections of the rows of some batches."""

    every_step = True

    def __init__(self) -> None:
        self.rows: set[int] = set()
        self.draws = 0
        self.repeats: list[float] = []  # share of different rows in a batch
        self.evaluated = self.known = 0  # rows of evaluations, and those among them trained on
        self.moments: list[tuple[float, float]] = []  # mean and spread of each look
        self.around: Surroundings | None = None
        self.held: set[int] = set()  # rows for validation
        self.held_name = ""
        self.leaked = 0  # rows of training batches among them

    @torch.no_grad()
    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Look at the rows of this batch."""
        if owned is not loop.main or not loop.passes:
            return
        if loop.made > 40 and (loop.made % EVERY or loop.made > 2000):
            return
        first = loop.passes[-1].first()
        if loop.made == 2:
            self.around = look_around(owned.optimizer)
            self._held_out()
        if first is None or first.device.type != "cpu":
            return
        self._rows(loop, first)
        if first.is_floating_point() and first.numel() > 1:
            self._moments(loop, first)

    def _rows(self, loop: Loop, first: Tensor) -> None:
        marks = row_marks(first)
        if len(marks) < 4:
            return
        self.draws += len(marks)
        self.repeats.append(len(set(marks)) / len(marks))
        if len(self.rows) < MOST:
            self.rows.update(marks)
        self.leaked += sum(m in self.held for m in marks) if self.held else 0
        if self.leaked >= 16:
            loop.events.say(loop.step, _trained_on(self.leaked, self.held_name))
        if self.draws >= DRAWS and loop.made % 10 == 0 and loop.made >= 10:
            self._few(loop, len(marks))

    def _held_out(self) -> None:
        """Rows of a loader whose name says that it is for validation, where they are tensors."""
        for name, value in variables():
            if not issubclass(type(value), DataLoader) or not HELD_OUT.search(name):
                continue
            part = value.dataset
            whole = part.dataset if isinstance(part, Subset) else part
            if isinstance(whole, TensorDataset) and whole.tensors[0].device.type == "cpu":
                rows = whole.tensors[0]
                rows = rows[list(part.indices)[:ROWS]] if isinstance(part, Subset) else rows
                self.held, self.held_name = set(row_marks(rows[:ROWS])), name

    def _few(self, loop: Loop, size: int) -> None:
        loader = None if self.around is None else self.around.loader(size)
        total = 0 if loader is None else len(loader) * size
        should = total * (1 - math.exp(-self.draws / total)) if total else 0.0
        # Of as many draws as there are examples, 63 % differ; in a batch half would be too few.
        twins = len(self.repeats) >= LOOKS and statistics.median(self.repeats) < 0.5
        if len(self.rows) < PART * should or twins:
            loop.events.say(loop.step, self._drawn(loop, total))
        else:
            loop.events.passes(FEW, loop.step)

    def _drawn(self, loop: Loop, total: int) -> Finding:
        of = f", although the loader has about {total} rows" if total else ""
        return found(
            FEW,
            "The same few examples are drawn again and again",
            Severity.MEDIUM if total > 4 * len(self.rows) else Severity.LOW,
            f"Only {len(self.rows)} of {self.draws} rows that were compared are distinct{of}. "
            f"Within one batch, {statistics.median(self.repeats):.0%} of the rows are "
            "distinct.",
            "Check the sampler (its weights are per example, not per class) and how the data "
            "set uses its index.",
        )

    def _moments(self, loop: Loop, first: Tensor) -> None:
        some = first.reshape(-1)[:: max(1, first.numel() // 2048)].float()
        spread, mean = torch.std_mean(some, correction=0)
        self.moments.append((float(mean), float(spread)))
        if len(self.moments) < 3 * LOOKS or len(self.moments) % LOOKS:
            return
        early, late = self.moments[:LOOKS], self.moments[-LOOKS:]
        (m0, s0), (m1, s1) = (
            (statistics.median(m for m, _ in part), statistics.median(s for _, s in part))
            for part in (early, late)
        )
        scale = s1 / s0 if s0 > 0 else 1.0
        if not 1 / SHIFT < scale < SHIFT or abs(m1 - m0) > SHIFT * s0 > 0:
            stored = self.around is not None and bool(self.around.loaders)  # not an environment
            loop.events.say(loop.step, _drift((m0, s0), (m1, s1), stored))
        else:
            loop.events.passes(DRIFT, loop.step)

    @torch.no_grad()
    def on_silent_call(self, loop: Loop, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Rows of an evaluation that were trained on."""
        if loop.model.training or not self.rows or self.evaluated > MOST:
            return
        given = tensors_in([*args, *kwargs.values()])
        if given and given[0].device.type == "cpu":
            marks = set(row_marks(given[0]))
            self.evaluated += len(marks)
            self.known += len(marks & self.rows)
            if self.known >= 16 and self.known > 0.05 * self.evaluated:
                loop.events.say(loop.step, self._overlap())

    def _overlap(self) -> Finding:
        return found(
            SEEN,
            "The model is evaluated on training examples",
            Severity.LOW,
            f"{self.known} of {self.evaluated} evaluated rows are also training examples, so "
            "this evaluation does not measure the error on held-out (validation) data.",
            "If this should be validation data, split the data set without overlap, and "
            "split it before augmentation or oversampling.",
        )


def _trained_on(rows: int, name: str) -> Finding:
    return found(
        TRAINED,
        "Validation data are trained on",
        Severity.LOW,
        f"{rows} rows of training batches are rows of {name!r}: the optimizer steps on validation "
        "data, or the split overlaps.",
        "Split the data set without overlap, and call backward() and step() for training batches "
        "only.",
    )


def _drift(before: tuple[float, float], now: tuple[float, float], stored: bool) -> Finding:
    return found(
        DRIFT,
        "The distribution of the inputs drifts",
        Severity.MEDIUM if stored else Severity.LOW,
        f"The mean and the standard deviation of the inputs were {before[0]:.2g} and "
        f"{before[1]:.2g} at first, and are {now[0]:.2g} and {now[1]:.2g} now. The data "
        "change during training, for example because rows are normalized or augmented in "
        "place at each access.",
        "Do not write to the stored data (sub_, div_, +=, x[i] = ...); copy a row before you "
        "change it.",
    )


def row_marks(first: Tensor) -> list[int]:
    """One number for each row; empty if rows are short or all equal.

    Example:
        >>> x = torch.arange(32.0).reshape(4, 8)
        >>> len(set(row_marks(torch.cat([x, x[:1]]))))
        4
    """
    if first.dim() < 2 or len(first) > 4096:
        return []
    flat = first.detach().reshape(len(first), -1)
    if flat.shape[1] < COLUMNS:
        return []
    flat = flat[:, :: max(1, flat.shape[1] // POINTS)][:, :POINTS].double()
    marks = (flat @ WEIGHTS[: flat.shape[1]].double()).tolist()
    return [hash(f"{m:.9e}") for m in marks]  # the rounding of a sum depends on the batch
