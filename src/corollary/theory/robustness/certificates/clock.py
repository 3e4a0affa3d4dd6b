"""The clock that proofs go by: that of the machine, or one that counts work.

Whoever wants the same proofs on every machine, busy or idle, gives a clock that advances with the
operations that are made.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_CLOCK: ContextVar[Callable[[], float]] = ContextVar("clock", default=time.monotonic)


def now() -> float:
    """Seconds of the clock in force."""
    return _CLOCK.get()()


@contextmanager
def going_by(clock: Callable[[], float]) -> Iterator[None]:
    """Proofs inside the block go by another clock.

    Example:
        >>> with going_by(lambda: 7.0):
        ...     now()
        7.0
    """
    token = _CLOCK.set(clock)
    try:
        yield
    finally:
        _CLOCK.reset(token)
