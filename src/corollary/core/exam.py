"""One question about a subject."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from corollary.core.finding import Finding
from corollary.core.subject import Subject

OVERRUN, PATIENCE = 1.5, 0.25  # times its share, or of the whole work, that an exam may take


@dataclass(frozen=True)
class Budget:
    """The work that an exam may do, in seconds of a nominal machine.

    The work of a pass is counted, not timed, so it is the same on every machine: see
    :mod:`corollary.exams.work`.
    """

    left: float  # for this exam
    whole: float  # for the whole examination
    bytes: int = 2 << 30
    unlimited: bool = False  # whether nothing is too much, for one exam that was asked for alone

    @classmethod
    def of(cls, seconds: float, bytes: int = 2 << 30, *, whole: float | None = None) -> "Budget":
        """A number of seconds on the nominal machine, out of ``whole`` for all exams together."""
        return cls(seconds, seconds if whole is None else whole, bytes)

    @property
    def most(self) -> float:
        """The work above which an exam is skipped; it exceeds the share if the share is small."""
        return math.inf if self.unlimited else max(OVERRUN * self.left, PATIENCE * self.whole)


class Exam(ABC):
    """One examination: a file under ``exams/<question>/`` with one final subclass.

    ``share`` is the part of the whole budget that the exam needs, relative to the other exams (1
    for an exam that needs one forward pass). An exam raises
    :class:`~corollary.errors.NotApplicableError` with the reason when the subject is not of its
    kind; any other error is caught by the runner and becomes a finding.
    """

    share: ClassVar[float] = 1.0

    @abstractmethod
    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Examine the subject and yield findings, including healthy ones."""

    @classmethod
    def name(cls) -> str:
        """Question and file, as in the catalogue: ``trainability/largest_step``."""
        return "/".join(cls.__module__.split(".")[-2:])

    @classmethod
    def finding(cls, title: str, **what: Any) -> Finding:
        """A finding of this exam."""
        return Finding(cls.name(), title, **what)
