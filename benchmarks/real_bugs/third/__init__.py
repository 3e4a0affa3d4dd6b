"""The third part: more bugs by somebody who had read neither the exams nor what they say.

Written after the second half was scored, from issues and pull requests of public repositories that
were searched by symptom and mistake; none of them is in the first two halves. Every fixed network
does well on samples that are held out, wherever the task has such samples. The words of a cause
were written with the bug, before anything was examined, in several ways in which an engineer may
say it.
"""

from real_bugs.bug import Bug
from real_bugs.third import (
    attention,
    data,
    graphs,
    layers,
    losses,
    numerics,
    optimizers,
    padding,
    sequences,
    targets,
    tensors,
    wiring,
)

THIRD: tuple[Bug, ...] = (
    *layers.BUGS,
    *wiring.BUGS,
    *tensors.BUGS,
    *losses.BUGS,
    *targets.BUGS,
    *numerics.BUGS,
    *optimizers.BUGS,
    *data.BUGS,
    *sequences.BUGS,
    *attention.BUGS,
    *padding.BUGS,
    *graphs.BUGS,
)

__all__ = ["THIRD"]
