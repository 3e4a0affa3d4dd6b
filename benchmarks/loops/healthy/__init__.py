"""Correct training loops of many styles: nothing of medium or high severity may be said of them.

Each loop is a function of ``watch``. They were written to look unusual, and none is wrong: whoever
adds a detector runs them first.
"""

from collections.abc import Callable
from typing import Any

from loops.healthy import copies, plain, resumed, rewards, schedules, several, unusual, views
from loops.planted import Watch

HEALTHY: tuple[Callable[[Watch], Any], ...] = (
    *plain.LOOPS,
    *schedules.LOOPS,
    *copies.LOOPS,
    *resumed.LOOPS,
    *views.LOOPS,
    *rewards.LOOPS,
    *several.LOOPS,
    *unusual.LOOPS,
)

__all__ = ["HEALTHY"]
