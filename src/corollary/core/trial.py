"""A claim on one instance: what was given, predicted and measured, and how the two compare."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace
from typing import Any, Generic, TypeVar, overload

from corollary.core.figure import Role
from corollary.core.measurement import Measurement
from corollary.core.relations import Comparison

G = TypeVar("G")
T = TypeVar("T")


class Later(Sequence[T]):
    """A sequence that is computed when it is first read.

    Example:
        >>> squares = Later(lambda: (k * k for k in range(4)))
        >>> squares[:0], squares[-1], len(squares)
        ((), 9, 4)
    """

    def __init__(self, make: Callable[[], Iterable[T]]) -> None:
        self.make = make

    @cached_property
    def made(self) -> tuple[T, ...]:
        """All of it."""
        return tuple(self.make())

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        """One entry or several; an empty slice needs no work."""
        return () if isinstance(at, slice) and at.stop == 0 else self.made[at]

    def __len__(self) -> int:
        """How many."""
        return len(self.made)


@dataclass(frozen=True)
class Trial(Generic[G]):
    """Everything that a picture is drawn from."""

    given: G
    predicted: Any  # as `predict` returned it
    measured: Measurement  # as `measure` returned it
    comparison: Comparison
    kept: SimpleNamespace = field(default_factory=SimpleNamespace)  # from `Kept`
    words: str = ""  # of a trial without a hypothesis: what happens
    broken: tuple[str, ...] = ()  # of a trial without a hypothesis: which
    without: Sequence["Trial[G]"] = ()  # the same claim without each hypothesis that is needed

    @property
    def all(self) -> tuple["Trial[G]", ...]:
        """This trial, and the trials without a hypothesis."""
        return (self, *self.without)

    @property
    def role(self) -> Role:
        """The role in a figure: measured, or other for a trial without a hypothesis."""
        return "other" if self.broken or self.words else "measured"
