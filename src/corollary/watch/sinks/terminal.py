"""Events as they happen, on standard error; remarks only at the end."""

import sys
from typing import Any

from corollary.core.finding import Severity
from corollary.errors import printable
from corollary.watch.event import Event


class Terminal:
    """Prints events of medium and high severity, each once."""

    def write(self, line: dict[str, Any]) -> None:
        """Print an event; other lines are for files."""
        if line["kind"] != "event":
            return
        event = Event.from_json(line)
        if event.severity.rank >= Severity.MEDIUM.rank:
            print(printable(f"corollary: {event}"), file=sys.stderr, flush=True)

    def close(self) -> None:
        """Nothing is left to do."""
