"""Closures of optimizers that evaluate the loss several times per step."""

from torch import Tensor

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.detect.fingerprint import fingerprint
from corollary.watch.event import Streak
from corollary.watch.state import Loop, Owned

BATCH = "loop/closure_changes_batch"
RANDOM = "loop/closure_is_random"


class Closures(Detector):
    """Compares the passes that one step makes: LBFGS treats their differences as curvature."""

    def __init__(self) -> None:
        self.inside = False
        self.prints: list[int | None] = []
        self.states: list[Tensor] = []  # random states before the passes
        self.batch, self.random = Streak(3, release=5), Streak(3, release=5)

    def on_step_begin(self, loop: Loop, owned: Owned, closure: bool) -> None:
        """A step that may call its closure."""
        self.inside, self.prints, self.states = closure, [], []

    def on_backward(self, loop: Loop, reached: bool) -> None:
        """Record the batch of this call."""
        if self.inside and loop.passes:
            self.prints.append(fingerprint(loop.passes[-1]))
            self.states.append(loop.passes[-1].rng)

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Compare them."""
        if not self.inside or len(self.prints) < 2:
            return
        self.inside = False
        changes = len(set(self.prints)) > 1
        if self.batch.see(changes):
            loop.events.say(loop.step, _batch(owned, len(set(self.prints))))
        drawn = any(not bool((s == self.states[0]).all()) for s in self.states)
        if self.random.see(drawn and not changes):
            loop.events.say(loop.step, _random(owned))


def _batch(owned: Owned, different: int) -> Finding:
    name = type(owned.optimizer).__name__
    return found(
        BATCH,
        "The closure uses another batch at each call",
        Severity.MEDIUM,
        f"Within one step of {name} the closure was called with {different} different "
        "batches. The optimizer mistakes the noise between batches for curvature, and its "
        "line search compares the losses of different functions.",
        "Draw the batch before optimizer.step(closure), and use it in every call.",
    )


def _random(owned: Owned) -> Finding:
    return found(
        RANDOM,
        "The closure is random",
        Severity.LOW,
        f"Within one step of {type(owned.optimizer).__name__}, the calls of the closure start "
        "from different random states (dropout does this). The loss is not a deterministic "
        "function of the weights.",
        "Turn dropout off, or use an optimizer that evaluates the loss once per step.",
    )
