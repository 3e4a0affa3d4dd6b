"""A progress bar on standard error, drawn a few times a second whatever the speed of the run."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from corollary.train.loop import Loop

PERIOD = 0.2  # seconds between drawings; a step may take microseconds


@contextmanager
def progress_bar(loop: Loop, steps: int | None, epochs: int | None) -> Iterator[Callable[[], None]]:
    """Show the bar within the block; call what is given after each step."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    per_epoch = loop.source.steps_in_epoch
    total = steps if epochs is None else per_epoch and per_epoch * epochs
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("loss {task.fields[loss]}"),
    )
    with Progress(*columns, console=Console(stderr=True), auto_refresh=False) as bar:
        task = bar.add_task("training", total=total, completed=loop.step, loss="")
        due = 0.0

        def draw() -> None:
            losses = loop.history.losses
            loss = f"{losses[-1]:.4g}" if losses else ""
            bar.update(task, completed=loop.step, loss=loss, refresh=True)

        def tick() -> None:
            nonlocal due
            now = time.monotonic()
            if now >= due:
                due = now + PERIOD
                draw()

        try:
            yield tick
        finally:
            draw()
