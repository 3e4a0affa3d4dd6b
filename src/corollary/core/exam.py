"""One question asked of a subject."""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from corollary.core.finding import Finding
from corollary.core.subject import Subject


@dataclass(frozen=True)
class Budget:
    """What an exam may spend. An exam that can do with less asks how much is left."""

    ends: float  # on the clock of time.monotonic
    bytes: int = 2 << 30

    @classmethod
    def of(cls, seconds: float, bytes: int = 2 << 30) -> "Budget":
        """A budget that starts now."""
        return cls(time.monotonic() + seconds, bytes)

    @property
    def left(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.ends - time.monotonic())


class Exam(ABC):
    """One examination: a file under ``exams/<question>/`` with one final subclass.

    ``share`` is the part of the whole budget that it wants, relative to the other exams (an exam
    that takes a forward pass has 1). An exam raises
    :class:`~corollary.errors.NotApplicableError` with the reason when the subject is not of its
    kind; anything else that goes wrong is caught by whoever runs it and becomes a finding.
    """

    share: ClassVar[float] = 1.0

    @abstractmethod
    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Look at the subject and say what was found, healthy readings included."""

    @classmethod
    def name(cls) -> str:
        """Question and file, as in the catalogue: ``trainability/largest_step``."""
        return "/".join(cls.__module__.split(".")[-2:])

    @classmethod
    def finding(cls, title: str, **what: Any) -> Finding:
        """A finding of this exam."""
        return Finding(cls.name(), title, **what)
