"""The fifth part of the loops: mistakes of all kinds, told without the detectors.

Each bug was reported in public; the address and the year are given, the code is our own. None is
one of the first four parts again. The words of a cause were written with the bug, before any
watcher had seen the loop. ``CORRECT`` has loops of the same style without a mistake.
"""

from loops.fifth import (
    data,
    lightning_loops,
    losses,
    modes,
    owners,
    rewards,
    schedules,
    transformers_loops,
)
from loops.fifth.correct import LOOPS as CORRECT
from loops.third.real import RealBug

FIFTH: tuple[RealBug, ...] = (
    *losses.BUGS,
    *owners.BUGS,
    *schedules.BUGS,
    *modes.BUGS,
    *data.BUGS,
    *rewards.BUGS,
    *lightning_loops.BUGS,
    *transformers_loops.BUGS,
)

__all__ = ["CORRECT", "FIFTH"]
