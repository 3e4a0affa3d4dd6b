"""Which step of a run a batch is valued at, for ways to value it that change along the run."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_STEP: ContextVar[int | None] = ContextVar("step", default=None)


def present_step() -> int | None:
    """Updates made before this one, in the run that is under way; None outside of a run.

    Example:
        >>> present_step() is None
        True
    """
    return _STEP.get()


@contextmanager
def at_step(step: int) -> Iterator[None]:
    """Within the block the run is at this step.

    Example:
        >>> with at_step(5):
        ...     present_step()
        5
    """
    token = _STEP.set(step)
    try:
        yield
    finally:
        _STEP.reset(token)
