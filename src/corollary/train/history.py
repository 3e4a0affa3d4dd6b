"""What happened in a run: the loss of each step, whatever else was recorded, and why it ended."""

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, overload

import torch
from torch import Tensor

from corollary.core.figure import Curve, Figure
from corollary.errors import UnknownNameError


@dataclass(frozen=True, slots=True)
class Record:
    """One update of the parameters."""

    step: int  # counted from 0 over the whole run
    epoch: int  # counted from 0
    loss: float  # of the batch, before the update
    last: bool  # whether it is the last step of its epoch


@dataclass
class History:
    """The losses of all updates, in order; indexable by step and by name.

    Example:
        >>> h = History(seed=0)
        >>> h.append(Record(0, 0, 2.0, False)); h.append(Record(1, 0, 1.0, True))
        >>> h.record("norm", 0.5)
        >>> h[-1].loss, h["loss"], h["norm"], h.points("norm"), h.epochs, len(h)
        (1.0, [2.0, 1.0], [0.5], ([1], [0.5]), 1, 2)
    """

    seed: int
    losses: list[float] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)  # step at which each epoch ended
    metrics: dict[str, tuple[list[int], list[float]]] = field(default_factory=dict)
    stopped: str = ""  # why the run ended
    diverged: bool = False  # whether it left the finite numbers

    def __repr__(self) -> str:
        if not self.losses:
            return "history of 0 steps"
        said = (
            f"history of {self.steps} steps: loss {self.losses[0]:.4g} at first, "
            f"{self.losses[-1]:.4g} at last"
        )
        extra = f"; recorded {', '.join(self.metrics)}" if self.metrics else ""
        return said + extra + (f"; {self.stopped}" if self.stopped else "")

    @property
    def steps(self) -> int:
        """Updates made."""
        return len(self.losses)

    @property
    def epochs(self) -> int:
        """Epochs completed."""
        return len(self.ends)

    def append(self, record: Record) -> None:
        """Add one update."""
        self.losses.append(record.loss)
        if record.last:
            self.ends.append(record.step)

    def record(self, name: str, value: float | Tensor) -> None:
        """Note a value called ``name`` at the latest step."""
        at, values = self.metrics.setdefault(name, ([], []))
        at.append(self.steps - 1)
        values.append(float(value.detach() if isinstance(value, Tensor) else value))

    def points(self, name: str) -> tuple[list[int], list[float]]:
        """The steps at which ``name`` was recorded, and its values there."""
        if name == "loss":
            return list(range(self.steps)), self.losses
        if name not in self.metrics:
            known = ", ".join(["loss", *self.metrics])
            raise UnknownNameError(f"the history has no '{name}'; it contains {known}")
        return self.metrics[name]

    def __len__(self) -> int:
        return self.steps

    def __iter__(self) -> Iterator[Record]:
        return (self[i] for i in range(self.steps))

    @overload
    def __getitem__(self, key: int) -> Record: ...
    @overload
    def __getitem__(self, key: str) -> list[float]: ...
    def __getitem__(self, key: int | str) -> Record | list[float]:
        """The record of a step, or all values of a name."""
        if isinstance(key, str):
            return self.points(key)[1]
        step = range(self.steps)[key]
        epoch = bisect_left(self.ends, step)
        last = epoch < len(self.ends) and self.ends[epoch] == step
        return Record(step, epoch, self.losses[step], last)

    def figure(self, title: str = "Training") -> Figure:
        """The loss over the steps, with what else was recorded."""
        marks = [Curve(self.losses, label="loss")]
        marks += [
            Curve(v, x=at, label=name, role="other") for name, (at, v) in self.metrics.items()
        ]
        shown = [v for mark in marks for v in mark.y]
        positive = bool(shown) and all(v > 0 and math.isfinite(v) for v in shown)
        caption = self.stopped
        return Figure(
            title, x="step", y="loss", marks=tuple(marks), log_y=positive, caption=caption
        )

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        number = torch.float64
        return {
            "losses": torch.tensor(self.losses, dtype=number),
            "ends": list(self.ends),
            "metrics": {
                k: (list(at), torch.tensor(v, dtype=number)) for k, (at, v) in self.metrics.items()
            },
        }

    @classmethod
    def from_state(cls, seed: int, state: dict[str, Any]) -> "History":
        """The inverse of :meth:`state`."""
        metrics = {k: (list(at), v.tolist()) for k, (at, v) in state["metrics"].items()}
        return cls(seed, state["losses"].tolist(), list(state["ends"]), metrics)
