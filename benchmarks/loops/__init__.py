"""Training loops with one planted bug each, and their correct twins.

The first half was written together with the detectors. The second half was written after them by
somebody who had not read them, and knew the names of causes from the documentation only; where it
names none, a pattern such as ``optimizer/*decay*`` stands for what a right name would contain.
The third part was written later still, by somebody who had read neither detectors nor their
documentation: real bugs, found if an event that the twin lacks has the words of the cause.
"""

from loops.first import FIRST
from loops.planted import Bug, Outcome, Planted, tried
from loops.second import SECOND
from loops.third import THIRD

HALVES: dict[str, tuple[Planted, ...]] = {"first": FIRST, "second": SECOND, "third": THIRD}

__all__ = ["FIRST", "HALVES", "SECOND", "THIRD", "Bug", "Outcome", "Planted", "tried"]
