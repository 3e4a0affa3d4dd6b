"""A figure in a notebook that follows the run: the loss, the stability, what was found."""

import time
from typing import Any

from corollary.watch.record import Run
from corollary.watch.sinks.extras import package

SHARE = 0.02  # of the time, at most, that goes into drawing


class Notebook:
    """Shows the run below the cell and updates the figure during the run; needs no server.

    Args:
        every: The least number of seconds between two drawings.

    Example:
        ``corollary.watch(model, optimizer, to=[JsonLines("watch.jsonl"), Notebook()])``
    """

    def __init__(self, every: float = 1.0) -> None:
        self.display = package("IPython.display", "the notebook figure", "ipython").display
        self.every = every
        self.run: Run | None = None
        self._handle: Any = None
        self._next = 0.0

    def write(self, line: dict[str, Any]) -> None:
        """Take one line; draw if enough time has passed."""
        if line["kind"] == "run":
            self.run = Run(line)
        elif self.run is not None:
            self.run.take(line)
            if line["kind"] == "end" or time.monotonic() >= self._next:
                self._draw()

    def _draw(self) -> None:
        began = time.monotonic()
        if self._handle is None:
            self._handle = self.display(self.run, display_id=True)
        else:
            self._handle.update(self.run)
        now = time.monotonic()
        self._next = now + max(self.every, (now - began) / SHARE)

    def close(self) -> None:
        """The last drawing stays."""
