"""The first half of the loops, written together with the detectors."""

from loops.first import batches, calls, numbers, owners, rates
from loops.planted import Bug

FIRST: tuple[Bug, ...] = (
    *calls.BUGS,
    *owners.BUGS,
    *rates.BUGS,
    *batches.BUGS,
    *numbers.BUGS,
)

__all__ = ["FIRST"]
