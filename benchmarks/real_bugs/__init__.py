"""Real bugs from public sources, each with its fixed twin and a training check.

The kinds follow Humbatova et al. (2020), "Taxonomy of real faults in deep learning systems":
faults of training (loss, data, hyperparameters, optimizer, validation) are the most frequent,
then those of the model (layers, activations, initialisation, wiring), then tensors and inputs.
Their faults of GPU use and of calls to an interface stop the program and are left out.

The first half was written together with the exams. The second half, in ``second/``, was written
after them by somebody who had read neither the exams nor what they say, and no bug in it stands
at the same place as one of the first. It is scored once and reported as it is. So are the third
part, in ``third/``, and the fourth, in ``fourth/``, each written in the same way after the part
before it had been scored.
"""

from real_bugs import (
    data,
    heads,
    hyperparameters,
    layers,
    losses,
    numerics,
    preprocessing,
    tensors,
    wiring,
)
from real_bugs.bug import Bug
from real_bugs.fourth import FOURTH
from real_bugs.second import SECOND
from real_bugs.third import THIRD

FIRST: tuple[Bug, ...] = (
    *heads.BUGS,
    *losses.BUGS,
    *preprocessing.BUGS,
    *data.BUGS,
    *hyperparameters.BUGS,
    *layers.BUGS,
    *wiring.BUGS,
    *tensors.BUGS,
    *numerics.BUGS,
)

HALVES: dict[str, tuple[Bug, ...]] = {
    "first": FIRST,
    "second": SECOND,
    "third": THIRD,
    "fourth": FOURTH,
}
BUGS: tuple[Bug, ...] = tuple(bug for half in HALVES.values() for bug in half)

__all__ = ["BUGS", "FOURTH", "HALVES", "Bug"]
