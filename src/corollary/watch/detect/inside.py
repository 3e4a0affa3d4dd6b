"""Attention to a single token, saturated units, and running statistics that are far off."""

from collections.abc import Callable

from corollary.core.finding import Severity
from corollary.core.measurement import Reading
from corollary.watch.detect.detector import Detector, found
from corollary.watch.event import Streak
from corollary.watch.state import Loop

Rule = tuple[Callable[[float], bool], str, str, Severity, str, str]

# By reading: beyond what, cause, title, severity, meaning, advice.
RULES: dict[str, Rule] = {
    "attention entropy": (
        lambda v: v < 0.02,
        "attention/collapsed",
        "Attention looks at single tokens only",
        Severity.LOW,
        "The entropy of the attention weights is {v:.2g} times the entropy of uniform "
        "attention. The softmax is saturated, and hardly any gradient reaches the queries "
        "and keys.",
        "Lower the learning rate, warm up longer, or normalize queries and keys.",
    ),
    "saturated units": (
        lambda v: v > 0.9,
        "units/saturated",
        "Activations are saturated",
        Severity.MEDIUM,
        "{v:.0%} of the outputs of a sigmoid or tanh layer are within a hundredth of its limits, "
        "where the slope is almost zero.",
        "Use smaller initial weights, scale the inputs, or normalize before the activation.",
    ),
    "batch norm shift": (
        lambda v: v > 1,
        "mode/batch_norm_statistics",
        "Running statistics of batch norm are far from the batch statistics",
        Severity.LOW,
        "The means of a batch lie {v:.2g} standard deviations from the running means. In "
        "evaluation mode, the network therefore computes another function.",
        "Check the momentum of the batch norm layers, and whether other data pass through "
        "these layers.",
    ),
}
START = 20  # steps in which statistics and weights settle


class InsideLayers(Detector):
    """Three readings in a row beyond a limit."""

    def __init__(self) -> None:
        self.streaks = {name: Streak(3, release=3) for name in RULES}

    def on_reading(self, loop: Loop, name: str, value: float) -> None:
        """Compare it."""
        if name not in RULES or (name == "batch norm shift" and loop.made < START):
            return
        beyond, cause, title, severity, meaning, advice = RULES[name]
        new = self.streaks[name].see(beyond(value))
        if new:
            said = meaning.format(v=value)
            reading = Reading(value, value, value)
            loop.events.say(loop.step, found(cause, title, severity, said, advice, value=reading))
        elif new is False:
            loop.events.passes(cause, loop.step)
