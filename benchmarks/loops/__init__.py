"""Training loops with one planted bug each, and their correct twins.

The first half was written together with the detectors. The second half was written after them by
somebody who had not read them, and knew the names of causes from the documentation only; where it
names none, a pattern such as ``optimizer/*decay*`` stands for what a right name would contain.
"""

from loops.first import FIRST
from loops.planted import Bug, Outcome, tried
from loops.second import SECOND

HALVES: dict[str, tuple[Bug, ...]] = {"first": FIRST, "second": SECOND}

__all__ = ["FIRST", "HALVES", "SECOND", "Bug", "Outcome", "tried"]
