"""The third part of the loops: real bugs, told by somebody who had not read the detectors.

Each was reported in public; the address is given, the code is our own. The words of a cause were
written with the bug, before any watcher had seen the loop: what an engineer who had found the
cause would have to say, and not what the loss curve looks like. No bug is one of the first two
parts again.
"""

from loops.third import (
    adversaries,
    closures,
    frozen,
    lightning_loops,
    pipelines,
    precision,
    schedules,
    transformers_loops,
)
from loops.third.real import RealBug

THIRD: tuple[RealBug, ...] = (
    *adversaries.BUGS,
    *closures.BUGS,
    *precision.BUGS,
    *schedules.BUGS,
    *frozen.BUGS,
    *pipelines.BUGS,
    *lightning_loops.BUGS,
    *transformers_loops.BUGS,
)

__all__ = ["THIRD", "RealBug"]
