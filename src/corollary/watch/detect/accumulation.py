"""Several backward passes per step: the weight of each, and whether it is used at all."""

from collections import Counter, deque
from collections.abc import Sequence

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.detect.fingerprint import fingerprint
from corollary.watch.event import Streak
from corollary.watch.loss_graph import LossGraph
from corollary.watch.state import Loop, Owned

UNEVEN = "accumulation/uneven"
SUMMED = "accumulation/summed"
CLEARED = "accumulation/cleared"
REMAINDER = "accumulation/remainder"
ALONE = "accumulation/single_pass"
TWICE = "accumulation/divided_twice"


class Weights(Detector):
    """Micro-batches that have equal weight although they hold different numbers of targets."""

    def __init__(self) -> None:
        self.uneven, self.summed = Streak(3, release=20), Streak(5, release=20)
        self.alone, self.twice = Streak(20, release=5), Streak(3, release=20)
        self.worst = 1.0
        self.passes: deque[int] = deque(maxlen=60)  # per step

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Look at the losses of this step's passes."""
        if owned is not loop.main:
            return
        self.passes.append(loop.accumulated)
        graphs = loop.graphs[-loop.accumulated :]
        if loop.accumulated < 2:
            self._alone(loop, graphs)
            return
        self._uneven(loop, [g.counted for g in graphs if g.counted and g.mean])
        twice = all(abs(g.factor * loop.accumulated**2 - 1) < 1e-6 for g in graphs)
        if self.twice.see(twice and bool(graphs)):
            loop.events.say(loop.step, _divided_twice(loop.accumulated))
        plain = all(abs(g.factor - 1) < 1e-9 and g.mean and g.kind for g in graphs)
        if self.summed.see(plain and len(graphs) == loop.accumulated):
            loop.events.say(
                loop.step,
                found(
                    SUMMED,
                    "Accumulated gradients are summed, not averaged",
                    Severity.LOW,
                    f"Each step adds the gradients of {loop.accumulated} mean losses, so its "
                    f"gradient is {loop.accumulated} times the gradient of the whole batch.",
                    f"Divide the loss by {loop.accumulated}, unless the learning rate was "
                    "chosen for the sum.",
                ),
            )

    def _uneven(self, loop: Loop, counts: Sequence[float]) -> None:
        if len(counts) < 2:
            return
        spread = max(counts) / max(min(counts), 1e-9)
        self.worst = max(self.worst, spread)
        # A last batch that is smaller is usual; a difference of a fifth at three steps is not.
        if self.uneven.see(spread > 1.2):
            loop.events.say(
                loop.step,
                found(
                    UNEVEN,
                    "Gradient accumulation weights targets unequally",
                    Severity.MEDIUM,
                    "Each backward pass takes the mean over its own targets, and one pass "
                    f"has up to {self.worst:.2g} times as many targets as another. The passes "
                    "have equal weight, so targets in a short pass count more.",
                    "Use reduction='sum' and divide by the number of targets in the whole step.",
                    spread=self.worst,
                ),
            )

    def _alone(self, loop: Loop, graphs: Sequence[LossGraph]) -> None:
        """A mean loss divided by 4, 8, 16, ... although there is only one pass per step."""
        parts = 1 / graphs[-1].factor if graphs and graphs[-1].factor > 0 else 0.0
        power = parts in (4.0, 8.0, 16.0, 32.0, 64.0) and graphs[-1].mean
        single = set(self.passes) == {1} and loop.events.find(CLEARED) is None
        if self.alone.see(power and bool(graphs[-1].kind) and single):
            loop.events.say(
                loop.step,
                found(
                    ALONE,
                    "The loss is divided for accumulation, but every backward pass is "
                    "followed by a step",
                    Severity.LOW,
                    f"The loss is divided by {parts:g}, but optimizer.step() is called after "
                    "every backward pass.",
                    f"Call optimizer.step() after every {parts:g} backward passes, or do not "
                    "divide the loss.",
                ),
            )


def _divided_twice(parts: int) -> Finding:
    return found(
        TWICE,
        "The accumulated loss is divided twice",
        Severity.LOW,
        f"A step has {parts} backward passes, and each loss is divided by {parts**2}: by "
        f"{parts} in the loop, and by {parts} again in the trainer. The gradients are too "
        "small.",
        "Divide the loss once only. Trainers that accumulate gradients divide the loss themselves.",
    )


class Cleared(Detector):
    """Passes whose gradients are cleared before any step has used them."""

    def __init__(self) -> None:
        self.streak = Streak(3, release=10)
        self.prints: set[int | None] = set()  # of the batches since the step
        self.excused = False  # the gradient was asked for another purpose
        self.versions: list[int] = []
        self.lost: Counter[int] = Counter()  # cleared passes per step: how often
        self.usual: Counter[int] = Counter()  # passes that made up a step

    def on_backward(self, loop: Loop, reached: bool) -> None:
        """Record the batch, requested gradients of inputs, and changes of weights."""
        if loop.main is None or not loop.passes:
            return
        tensors = loop.passes[-1].tensors()
        self.prints.add(fingerprint(loop.passes[-1]))
        # An attack asks for gradients of inputs; a sharpness-aware step moves the weights.
        self.excused |= any(t.requires_grad for t in tensors)
        versions = [p._version for p in loop.main.life.parameters[:1]]
        self.excused |= bool(self.versions) and versions != self.versions
        self.versions = versions

    def on_step_begin(self, loop: Loop, owned: Owned, closure: bool) -> None:
        """A closure clears the gradients of its line search."""
        self.excused |= closure

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Count the passes that were lost for this step."""
        if owned is not loop.main:
            return
        lost = owned.life.cleared if len(self.prints) > 1 and not self.excused else 0
        self.lost[lost] += 1
        self.usual[loop.accumulated] += 1
        new = self.streak.see(lost > 0)
        if new:
            factor = loop.graphs[-1].factor if loop.graphs else 1.0
            shared = abs(factor * (lost + 1) - 1) < 1e-6  # each loss was to be one of so many
            self._say(loop, lost, shared)
        elif new is False:
            loop.events.passes(CLEARED, loop.step)
        self._remainder(loop)
        self.prints, self.versions, self.excused = set(), [], False

    def _say(self, loop: Loop, lost: int, shared: bool) -> None:
        loop.events.say(
            loop.step,
            found(
                CLEARED,
                "Gradients are cleared between the passes of one step",
                Severity.HIGH if shared else Severity.MEDIUM,
                f"Before each step, {lost} backward pass{'es' if lost > 1 else ''} of other "
                "batches wrote gradients that were then cleared. The step uses only the last "
                "backward pass.",
                "Call zero_grad() once per step, before its first backward pass.",
            ),
        )

    def _remainder(self, loop: Loop) -> None:
        """Occasionally, as at the end of an epoch, passes are lost or a step has fewer passes."""
        usual, _ = self.usual.most_common(1)[0]
        short = sum(n for passes, n in self.usual.items() if passes < usual)
        lost = sum(n for passes, n in self.lost.items() if passes)
        shares = bool(loop.graphs) and abs(loop.graphs[-1].factor * usual - 1) < 1e-6
        few = usual > 1 and 2 <= lost + (short if shares else 0) < 0.4 * sum(self.lost.values())
        if few and loop.events.find(CLEARED) is None:
            loop.events.say(
                loop.step,
                found(
                    REMAINDER,
                    "The last batches of an epoch are too few for a full step",
                    Severity.LOW,
                    f"A step uses {usual} backward passes. At {lost + short} of "
                    f"{loop.made + 1} steps "
                    + (
                        "the gradients of earlier passes were cleared."
                        if lost
                        else "there were fewer."
                    ),
                    "Continue the accumulation across epochs, or divide the loss by the "
                    "actual number of backward passes.",
                ),
            )
