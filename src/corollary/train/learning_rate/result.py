"""A learning rate with the runs that it was chosen from."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from corollary.core.figure import Figure, Level, Points
from corollary.theory.confidence.mean import mean_of
from corollary.theory.landscape.curvature.interval import Estimate
from corollary.train.learning_rate.trials import Trial

LEVEL = 0.95


@dataclass(frozen=True)
class LearningRate:
    """The choice, and what it rests on."""

    rate: float
    low: float  # rates from here to ``high`` were tried and are not worse than the best one
    high: float
    stable: Estimate | None  # largest rate that is stable to second order at the start
    trials: tuple[Trial, ...]  # short runs first

    @property
    def steps(self) -> int:
        """Updates made for the search, in all."""
        return sum(trial.steps * len(trial.losses) for trial in self.trials)

    def __repr__(self) -> str:
        limit = "" if self.stable is None else f"; largest stable one {self.stable}"
        return (
            f"learning rate {self.rate:.3g} (runs cannot distinguish {self.low:.3g} to "
            f"{self.high:.3g}{limit}; {self.steps} steps of search)"
        )

    @property
    def figure(self) -> Figure:
        """The loss after short runs over the learning rate; diverged runs are left out."""
        longest = max(trial.steps for trial in self.trials)
        found = sorted(longest_of(self.trials), key=lambda trial: trial.rate)
        kept = [trial for trial in found if math.isfinite(trial.loss)]
        ends = [mean_of(trial.losses).interval(LEVEL) for trial in kept]
        marks = (
            Points(
                [trial.rate for trial in kept],
                [trial.loss for trial in kept],
                f"after {longest} steps",
                low=[low for low, _ in ends],
                high=[high for _, high in ends],
            ),
            Level(self.rate, "chosen", axis="x"),
        )
        return Figure(
            "Loss of short runs", x="learning rate", y="training loss", marks=marks, log_x=True
        )


def longest_of(trials: Sequence[Trial]) -> list[Trial]:
    """The trials with the most steps."""
    most = max(trial.steps for trial in trials)
    return [trial for trial in trials if trial.steps == most]


def alike(trials: Sequence[Trial], best: Trial) -> tuple[float, float]:
    """The range of rates around the best one whose losses do not differ from its losses.

    Runs with the same seed see the same batches, so losses are compared seed by seed, at 95 %.

    Example:
        >>> best = Trial(0.1, 10, (1.0, 1.2))
        >>> alike([best, Trial(0.2, 10, (1.1, 1.1)), Trial(0.05, 10, (2.0, 2.2))], best)
        (0.1, 0.2)
    """
    ranked = sorted(trials, key=lambda trial: trial.rate)
    k = ranked.index(best)
    low = high = k
    while low > 0 and _not_worse(ranked[low - 1], best):
        low -= 1
    while high + 1 < len(ranked) and _not_worse(ranked[high + 1], best):
        high += 1
    return ranked[low].rate, ranked[high].rate


def _not_worse(other: Trial, best: Trial) -> bool:
    gaps = [a - b for a, b in zip(other.losses, best.losses, strict=True)]
    return math.isfinite(sum(gaps)) and mean_of(gaps).interval(LEVEL)[0] <= 0
