"""The monitor of a training loop: two lines of code, and the loop itself does not change.

Example:
    >>> import torch
    >>> from torch import nn
    >>> model = nn.Linear(2, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> with watch(model, optimizer, to=None) as watcher:
    ...     for _ in range(5):
    ...         loss = model(torch.eye(2)).square().mean()
    ...         loss.backward()  # and no zero_grad
    ...         optimizer.step()
    >>> [event.cause for event in watcher.events]
    ['loop/zero_grad_missing']
"""

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from corollary.core.measurement import Reading
from corollary.errors import InputError, InputTypeError
from corollary.watch.broken_steps import BrokenSteps
from corollary.watch.detect.panel import Panel
from corollary.watch.event import Events
from corollary.watch.following import Following
from corollary.watch.hooks import Ears, unwrapped
from corollary.watch.measuring import Measuring
from corollary.watch.sinks.sink import Sink
from corollary.watch.state import Loop, Pass
from corollary.watch.writing import Writer, chosen_sinks, process_rank


def watch(
    model: nn.Module,
    optimizer: Optimizer | Iterable[Optimizer] | None = None,
    *,
    to: str | os.PathLike[str] | Sink | Sequence[Sink] | None = "watch.jsonl",
    steps: int | None = None,
    step: int = 0,
    overhead: float = 0.03,
    memory: int = 1 << 30,
    evidence: int = 256 << 20,
    quiet: bool = False,
) -> "Watcher":
    """Watch a training loop: measure what theory describes, and say what goes wrong and why.

    Training is bit for bit the same as without the watcher, and an error inside the watcher never
    reaches the loop. The loss is read from the backward pass.

    Args:
        model: The module that the loop trains and calls.
        optimizer: One or several; by default, all optimizers that update parameters of the model
            are found.
        to: A file for the run's record (JSON lines), sinks, or None for no record.
        steps: The planned number of optimizer steps, if it is known.
        step: The number of steps before a resumed run; the record is then continued.
        overhead: The fraction of the work of the loop that measurements may add.
        memory: The largest memory in bytes that measurements may use.
        evidence: The largest size in bytes of the file with a broken step; 0 writes no file.
        quiet: Print nothing.

    Raises:
        InputTypeError: if ``model`` is not a module.
        InputError: if a number is out of range.
    """
    if not isinstance(model, nn.Module):
        raise InputTypeError(f"expected an nn.Module as model, got {type(model).__name__}")
    if not 0 <= overhead <= 1:
        raise InputError(f"expected an overhead between 0 and 1, got {overhead}")
    given = [] if optimizer is None else optimizer
    many = [given] if not isinstance(given, Iterable) else list(given)
    sinks = chosen_sinks(to, resumed=step > 0, quiet=quiet)
    return Watcher(
        model,
        [unwrapped(o) for o in many],
        sinks,
        steps=steps,
        step=step,
        overhead=overhead,
        memory=memory,
        evidence=evidence,
        place=_evidence_place(to),
    )


class Watcher:
    """A watched run; made by :func:`watch`. Close it, or use it in a ``with`` statement."""

    def __init__(
        self,
        model: nn.Module,
        optimizers: Sequence[Optimizer],
        sinks: Sequence[Sink],
        *,
        steps: int | None = None,
        step: int = 0,
        overhead: float = 0.03,
        memory: int = 1 << 30,
        evidence: int = 0,
        place: Path | None = None,
    ) -> None:
        self.writer = Writer(sinks)
        self.events = Events(self.writer.event)
        self._loop = Loop(model, self.events, planned=steps, step=step)
        panel = Panel(self._loop)
        self._measuring = Measuring(
            self._loop, panel, self.writer, overhead=overhead, memory=memory
        )
        broken = BrokenSteps(self._loop, self.writer, place, evidence)
        self._following = Following(self._loop, panel, self._measuring, broken)
        for optimizer in optimizers:
            self._following.own(optimizer)
        self._following.open = True
        self.writer.begin(model, optimizers, step, steps)
        self._began = time.monotonic()
        self._measuring.plan()
        self._ears: Ears | None = Ears(model, self._following)

    @property
    def step(self) -> int:
        """Optimizer steps seen so far, with those before a resumed run."""
        return self._loop.step

    @property
    def readings(self) -> dict[str, Reading]:
        """The latest value of each measurement, with its interval."""
        return dict(self._loop.readings)

    @property
    def problems(self) -> list[str]:
        """The errors inside the watcher."""
        return self._loop.problems

    def loss(self, value: float | Tensor) -> None:
        """Pass the loss of this step, if it cannot be read from the backward pass."""
        self._following.given = _number(value)

    def plan(self, steps: int) -> None:
        """Set the planned number of steps, if it was not known at the start."""
        self._loop.planned = self._loop.planned or steps

    def batch(self, *inputs: Any) -> None:
        """Pass the batch of this pass, in a loop that does not call the model itself."""
        model, state = self._loop.model, torch.get_rng_state()
        self._loop.passes.append(Pass(inputs, {}, model.training, state, repeatable=False))

    def held_out(self, value: float | Tensor) -> None:
        """Pass a loss on held-out data."""
        number = _number(value)
        self._measuring.say("held out", Reading(number, number, number))
        recent = self._loop.loss_values(50)
        if recent:
            gap = number - sum(recent) / len(recent)
            self._measuring.say("gap", Reading(gap, gap, gap))

    def close(self) -> None:
        """Remove every hook and write the end of the record; calling it twice is harmless."""
        if self._ears is None:
            return
        self._ears.remove()
        self._ears = None
        self._following.closed()
        self._measuring.release()
        seconds = time.monotonic() - self._began
        self.writer.end(self._loop.step, seconds, self.events.sorted(), self.problems)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        said = f"{len(self.events)} event{'' if len(self.events) == 1 else 's'}"
        return f"<Watcher at step {self.step}: {said}>"


def _number(value: float | Tensor) -> float:
    return float(value.detach()) if isinstance(value, Tensor) else float(value)


def _evidence_place(to: Any) -> Path | None:
    if not isinstance(to, str | os.PathLike):
        return None
    place = Path(to)
    rank, world = process_rank()
    return place if world == 1 else place.with_name(f"{place.stem}.rank{rank}{place.suffix}")
