"""Training loops with one planted bug each, and their correct twins."""

from loops.first import FIRST
from loops.planted import Bug, Outcome, tried

# The second list is written by somebody who has not written the detectors; see second.py.
HALVES: dict[str, tuple[Bug, ...]] = {"first": FIRST}

__all__ = ["FIRST", "HALVES", "Bug", "Outcome", "tried"]
