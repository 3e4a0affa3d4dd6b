"""A change that may help: a remedy, what it would mean if it helps, and what to do."""

from dataclasses import dataclass

from corollary.exams.helping_conditions import Applies, Said
from corollary.exams.trial_run import TrialRun

FASTER = (
    *("ten times the rate", "a hundred times the rate", "plain Adam", "more steps"),
    *("fresh start", "wider layers", "larger batches"),
)


def _empty(_: TrialRun) -> str:
    return ""


@dataclass(frozen=True)
class Change:
    """A remedy by name, the condition for trying it, and the texts to show if it helps."""

    name: str
    applies: Applies
    title: Said
    meaning: Said
    advice: Said
    diff: Said = _empty
    where: Said = _empty
    faster: bool = False  # it makes learning faster where nothing is wrong, too
    alike: bool = False  # nothing is added that learns faster, so half of the errors are enough

    @property
    def only_faster(self) -> bool:
        """Whether the change also makes learning faster in a healthy network."""
        return self.faster or self.name in FASTER
