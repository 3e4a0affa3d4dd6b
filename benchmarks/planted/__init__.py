"""Networks with one known fault each, and their healthy twins."""

from planted.fault import Fault, Outcome, tried
from planted.function import FAULTS as FUNCTION
from planted.generalization import FAULTS as GENERALIZATION
from planted.learning import FAULTS as LEARNING
from planted.robustness import FAULTS as ROBUSTNESS
from planted.soundness import FAULTS as SOUNDNESS
from planted.trainability import FAULTS as TRAINABILITY
from planted.weights import FAULTS as WEIGHTS

FAULTS: tuple[Fault, ...] = (
    *TRAINABILITY,
    *LEARNING,
    *SOUNDNESS,
    *FUNCTION,
    *GENERALIZATION,
    *ROBUSTNESS,
    *WEIGHTS,
)

__all__ = [
    "FAULTS",
    "FUNCTION",
    "GENERALIZATION",
    "LEARNING",
    "ROBUSTNESS",
    "SOUNDNESS",
    "TRAINABILITY",
    "WEIGHTS",
    "Fault",
    "Outcome",
    "tried",
]
