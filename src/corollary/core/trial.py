"""A claim on one instance: what was given, predicted and measured, and how the two compare."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Generic, TypeVar

from corollary.core.figure import Role
from corollary.core.measurement import Measurement
from corollary.core.relations import Comparison

G = TypeVar("G")


@dataclass(frozen=True)
class Trial(Generic[G]):
    """All that a picture is drawn from."""

    given: G
    predicted: Any  # as `predict` returned it
    measured: Measurement  # as `measure` returned it
    comparison: Comparison
    kept: SimpleNamespace = field(default_factory=SimpleNamespace)  # from `Kept`
    words: str = ""  # of a trial without a hypothesis: what happens
    broken: tuple[str, ...] = ()  # of a trial without a hypothesis: which
    without: tuple["Trial[G]", ...] = ()  # the same claim without each hypothesis that is needed

    @property
    def all(self) -> tuple["Trial[G]", ...]:
        """This one, and those without a hypothesis."""
        return (self, *self.without)

    @property
    def role(self) -> Role:
        """How it is drawn: as measured, or as other without a hypothesis."""
        return "other" if self.broken or self.words else "measured"
