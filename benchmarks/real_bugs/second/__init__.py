"""The second half: bugs told by somebody who had not read the exams, after they were written.

Posts were searched by symptom and mistake, not by what the exams look for. The words of a cause
were written with the bug, before anything was examined, from the answer that the post accepted.
"""

from real_bugs.bug import Bug
from real_bugs.second import (
    attention,
    graphs,
    heads,
    hidden,
    inputs,
    losses,
    numerics,
    samples,
    sequences,
    targets,
    training,
    wiring,
)

SECOND: tuple[Bug, ...] = (
    *losses.BUGS,
    *targets.BUGS,
    *heads.BUGS,
    *hidden.BUGS,
    *inputs.BUGS,
    *samples.BUGS,
    *training.BUGS,
    *wiring.BUGS,
    *sequences.BUGS,
    *attention.BUGS,
    *graphs.BUGS,
    *numerics.BUGS,
)

__all__ = ["SECOND"]
