"""Standard output with its own errors, so that a full disk is not mistaken for a failed check."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from corollary.errors import CorollaryError

CLOSED_PIPE = 141  # what a shell gives for a program that its reader left
FAULT = 70  # of corollary itself: neither refuted nor wrong usage


class OutputError(CorollaryError):
    """Standard output cannot be written."""


class ClosedOutputError(CorollaryError):
    """The program that reads the pipe has closed it."""


class Output:
    """A stream that raises these errors where libraries would swallow them or exit with code 1."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.error: CorollaryError | None = None  # once it has failed, it has failed for good

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """The value of the wrapped stream."""
        with self._own_errors():
            return int(self.stream.write(text))

    def flush(self) -> None:
        """The value of the wrapped stream."""
        with self._own_errors():
            self.stream.flush()

    @contextmanager
    def _own_errors(self) -> Iterator[None]:
        if self.error is not None:
            raise self.error
        try:
            yield
        except OSError as error:
            _discard_the_rest()
            reason = error.strerror or type(error).__name__
            closed = isinstance(error, BrokenPipeError)
            told = OutputError(f"standard output cannot be written ({reason})")
            self.error = ClosedOutputError() if closed else told
            raise self.error from None


@contextmanager
def guarded_output() -> Iterator[None]:
    """Make standard output an :class:`Output`; characters it cannot encode are replaced."""
    stream: Any = sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
    output: Any = Output(stream)
    sys.stdout = output
    try:
        yield
        output.flush()
    finally:
        sys.stdout = stream


def _discard_the_rest() -> None:
    """Discard buffered output; otherwise Python would print an error on exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
