"""The fourth part: bugs by somebody who had read neither the exams nor what they say.

Written after the third part was scored, from issues, pull requests and questions that were searched
by symptom and mistake; no post of it is in the first three parts, and none of its bugs is one of
the training loop. Every fixed network does well on samples that are held out. The words of a cause
were written with the bug, before anything was examined: they name the cause or its fix in several
ways in which an engineer may say it.
"""

from real_bugs.bug import Bug
from real_bugs.fourth import (
    activations,
    attention,
    axes,
    data,
    generative,
    graphs,
    initialisation,
    layers,
    losses,
    numerics,
    preprocessing,
    sequences,
    targets,
    training,
    wiring,
)

FOURTH: tuple[Bug, ...] = (
    *layers.BUGS,
    *activations.BUGS,
    *initialisation.BUGS,
    *wiring.BUGS,
    *losses.BUGS,
    *generative.BUGS,
    *targets.BUGS,
    *training.BUGS,
    *data.BUGS,
    *preprocessing.BUGS,
    *axes.BUGS,
    *attention.BUGS,
    *sequences.BUGS,
    *graphs.BUGS,
    *numerics.BUGS,
)

__all__ = ["FOURTH"]
