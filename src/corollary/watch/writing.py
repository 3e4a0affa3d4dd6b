"""The lines of the record of a run; losses are thinned so that files stay small."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch import distributed, nn
from torch.optim import Optimizer

from corollary.core.measurement import Reading
from corollary.run.results import environment
from corollary.watch.event import Event
from corollary.watch.sinks.json_lines import JsonLines
from corollary.watch.sinks.sink import Sink
from corollary.watch.sinks.terminal import Terminal

SCHEMA = 1
LINES = 500  # lines of losses before twice as many steps share a line


class Writer:
    """Writes each line to every sink; a sink that fails is not used again."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self.sinks = list(sinks)
        self.lost: list[str] = []
        self.every, self.lines = 1, 0
        self._group: list[tuple[int, float, float]] = []

    def begin(
        self, model: nn.Module, optimizers: Sequence[Optimizer], step: int, planned: int | None
    ) -> None:
        """The first line: what is trained, and how."""
        rank, world = process_rank()
        self._line(
            {
                "kind": "run",
                "schema": SCHEMA,
                "environment": environment(),
                "model": type(getattr(model, "_orig_mod", model)).__name__,
                "parameters": sum(p.numel() for p in model.parameters()),
                "trained": sum(p.numel() for p in model.parameters() if p.requires_grad),
                "optimizers": [_described(o) for o in optimizers],
                "step": step,
                "planned": planned,
                "rank": rank,
                "world": world,
            }
        )

    def step(self, step: int, loss: float, rate: float) -> None:
        """The loss and learning rate of a step; neighbours share a line in long runs."""
        self._group.append((step, loss, rate))
        if len(self._group) >= self.every:
            self._flush()

    def _flush(self) -> None:
        if not self._group:
            return
        losses = [loss for _, loss, _ in self._group]
        self._line(
            {
                "kind": "step",
                "step": self._group[-1][0],
                "loss": sum(losses) / len(losses),
                "low": min(losses),
                "high": max(losses),
                "lr": self._group[-1][2],
            }
        )
        self._group, self.lines = [], self.lines + 1
        if self.lines % LINES == 0:
            self.every *= 2

    def reading(self, step: int, name: str, reading: Reading) -> None:
        """A measurement with its interval."""
        line = {"kind": "reading", "step": step, "name": name, "value": reading.value}
        self._line(line | {"low": reading.low, "high": reading.high})

    def event(self, event: Event) -> None:
        """An event that is new, more severe or has ended."""
        self._line(event.to_json())

    def evidence(self, step: int, path: str | None, size: int | None) -> None:
        """The file that holds a broken step, if it was not too large."""
        self._line({"kind": "evidence", "step": step, "path": path, "bytes": size})

    def end(
        self, step: int, seconds: float, events: Sequence[Event], problems: Sequence[str]
    ) -> None:
        """The last line."""
        self._flush()
        line = {"kind": "end", "step": step, "seconds": seconds, "problems": list(problems)}
        self._line(line | {"events": len(events)})
        for sink in self.sinks:
            sink.close()

    def _line(self, line: dict[str, Any]) -> None:
        for sink in list(self.sinks):
            try:
                sink.write(line)
            except Exception as error:  # a full disk must not cost the run
                self.sinks.remove(sink)
                self.lost.append(f"{type(sink).__name__}: {error}")


def chosen_sinks(to: Any, *, resumed: bool, quiet: bool) -> list[Sink]:
    """The sinks that the argument ``to`` of :func:`corollary.watch` stands for."""
    printed: list[Sink] = [] if quiet else [Terminal()]
    if to is None:
        return printed
    if isinstance(to, str | os.PathLike):
        rank, world = process_rank()
        path = Path(to)
        if world > 1 and rank > 0:
            path = path.with_name(f"{path.stem}.rank{rank}{path.suffix}")
            printed = []
        return [JsonLines(path, append=resumed), *printed]
    return [*(to if isinstance(to, Sequence) else [to]), *printed]


def process_rank() -> tuple[int, int]:
    """The number of this process and the number of processes, started by torchrun or by hand."""
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    return int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))


def _described(optimizer: Optimizer) -> dict[str, Any]:
    group = optimizer.param_groups[0]
    words = {k: v for k, v in group.items() if isinstance(v, int | float | bool | tuple)}
    return {"name": type(optimizer).__name__, "groups": len(optimizer.param_groups)} | {
        k: list(v) if isinstance(v, tuple) else v for k, v in words.items()
    }
