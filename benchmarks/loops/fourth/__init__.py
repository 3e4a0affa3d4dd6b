"""The fourth part of the loops: what goes wrong most often, told without the detectors.

Each bug was reported in public; the address is given, the code is our own. They were chosen by how
common the mistake is, and none is one of the first three parts again. The words of a cause were
written with the bug, before any watcher had seen the loop.
"""

from loops.fourth import (
    adversaries,
    checkpoints,
    evaluation,
    graphs,
    lightning_loops,
    owners,
    precision,
    schedules,
    steps,
    targets,
    transformers_loops,
)
from loops.third.real import RealBug

FOURTH: tuple[RealBug, ...] = (
    *steps.BUGS,
    *owners.BUGS,
    *graphs.BUGS,
    *schedules.BUGS,
    *precision.BUGS,
    *evaluation.BUGS,
    *checkpoints.BUGS,
    *targets.BUGS,
    *adversaries.BUGS,
    *lightning_loops.BUGS,
    *transformers_loops.BUGS,
)

__all__ = ["FOURTH"]
