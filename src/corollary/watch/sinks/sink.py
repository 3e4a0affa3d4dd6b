"""The interface of a sink: it takes lines of plain data and is closed at the end."""

from typing import Any, Protocol


class Sink(Protocol):
    """Lines have a ``kind``: ``run``, ``step``, ``reading``, ``event`` or ``end``."""

    def write(self, line: dict[str, Any]) -> None:
        """Take one line."""

    def close(self) -> None:
        """The run is over."""
