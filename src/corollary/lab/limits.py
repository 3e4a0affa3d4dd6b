"""The limits of a worker, and the error when too many are running."""

from dataclasses import dataclass

from corollary.errors import OptionError

GIB = 1 << 30
MEMORY = "out of memory"  # why a worker ended, as it says itself or as its exit code shows


class Busy(Exception):
    """Too much is running at the moment; the message is a sentence for the reader."""


@dataclass(frozen=True)
class Limits:
    """Seconds for one run, and bytes beyond what torch itself takes."""

    seconds: float = 120.0
    memory: int = 4 * GIB

    def __post_init__(self) -> None:
        if not 0 < self.seconds < float("inf"):
            raise OptionError(f"--seconds must be a positive number, got {self.seconds:g}")
        if self.memory < GIB // 10:
            raise OptionError(f"--memory must be at least 0.1 GiB, got {self.gib}")

    @property
    def gib(self) -> str:
        """The memory in words.

        Example:
            >>> Limits(memory=3 * GIB // 2).gib
            '1.5 GiB'
        """
        return f"{self.memory / GIB:.3g} GiB"
