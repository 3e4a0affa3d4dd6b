"""Training loops with one planted bug each, and their correct twins.

The first half was written together with the detectors. The second half was written after them by
somebody who had not read them, and knew the names of causes from the documentation only; where it
names none, a pattern such as ``optimizer/*decay*`` stands for what a right name would contain.
The third part was written later still, by somebody who had read neither detectors nor their
documentation: real bugs, found if an event that the twin lacks has the words of the cause.
The fourth part was written in the same way, of the mistakes that are made most often.
The fifth part was written in the same way, of mistakes of all kinds, with correct loops of its own.
``healthy`` has correct loops of many styles, of which nothing may be said.
"""

from loops.fifth import FIFTH
from loops.first import FIRST
from loops.fourth import FOURTH
from loops.planted import Bug, Outcome, Planted, tried
from loops.second import SECOND
from loops.third import THIRD

HALVES: dict[str, tuple[Planted, ...]] = {
    "first": FIRST,
    "second": SECOND,
    "third": THIRD,
    "fourth": FOURTH,
    "fifth": FIFTH,
}

__all__ = [
    "FIFTH",
    "FIRST",
    "FOURTH",
    "HALVES",
    "SECOND",
    "THIRD",
    "Bug",
    "Outcome",
    "Planted",
    "tried",
]
