"""The second half of the loops, written by somebody who had not read the detectors.

The bugs are those that ``docs/howto/watch.md`` says are found, in the disguises of real loops.
"""

from loops.planted import Bug
from loops.second import (
    batches_and_numbers,
    lightning_loops,
    owners,
    steps,
    transformers_loops,
)

SECOND: tuple[Bug, ...] = (
    *steps.BUGS,
    *owners.BUGS,
    *batches_and_numbers.BUGS,
    *lightning_loops.BUGS,
    *transformers_loops.BUGS,
)

__all__ = ["SECOND"]
