"""One JSON object per line, flushed as it is written, so that a run can be followed."""

import json
import os
from pathlib import Path
from typing import Any

from corollary.core.numbers import to_json_number


class JsonLines:
    """Writes a file; a resumed run continues in the same file.

    Args:
        path: The file.
        append: Continue after the existing content.
    """

    def __init__(self, path: str | os.PathLike[str], *, append: bool = False) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("a" if append else "w", encoding="utf-8")

    def write(self, line: dict[str, Any]) -> None:
        """Take one line."""
        try:
            text = json.dumps(line, allow_nan=False)
        except ValueError:  # NaN and infinity have a form of their own
            text = json.dumps(strict(line), allow_nan=False)
        self._file.write(text + "\n")
        if line["kind"] != "step":
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def strict(value: Any) -> Any:
    """Plain data with numbers in strict JSON."""
    if isinstance(value, dict):
        return {str(k): strict(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [strict(v) for v in value]
    return to_json_number(value) if isinstance(value, float) else value
