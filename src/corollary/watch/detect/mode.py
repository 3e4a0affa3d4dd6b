"""Training and evaluation mode, where a layer computes differently in each."""

from torch import nn

from corollary.core.finding import Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.event import Streak
from corollary.watch.state import Loop, Owned

LEFT = "mode/eval_during_training"
TRAINS = "mode/training_during_evaluation"


def by_mode(model: nn.Module) -> list[str]:
    """Layers that compute differently in training and evaluation, by name."""
    names = []
    for name, layer in model.named_modules():
        dropped = isinstance(layer, nn.modules.dropout._DropoutNd) and layer.p > 0
        if dropped or (
            isinstance(layer, nn.modules.batchnorm._BatchNorm) and layer.track_running_stats
        ):
            names.append(name)
    return names


class Mode(Detector):
    """Compares the model's mode with what is done with it."""

    every_step = True

    def __init__(self) -> None:
        self.left, self.trains = Streak(3, release=5), Streak(1, release=3)
        self.layers: list[str] | None = None
        self.was_training = False

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Look at the pass that led to this step, and at those between two steps."""
        if owned is not loop.main or not loop.passes:
            return
        if self.layers is None:
            self.layers = by_mode(loop.model)
        if self.layers:
            training = loop.passes[-1].training
            self._left(loop, not training)
            self._trains(loop)
            self.was_training |= training

    def _left(self, loop: Loop, evaluating: bool) -> None:
        new = self.left.see(evaluating)
        if new:
            assert self.layers is not None
            loop.events.say(
                loop.step,
                found(
                    LEFT,
                    "The model is trained in evaluation mode",
                    Severity.HIGH if self.was_training else Severity.MEDIUM,
                    ("After an evaluation " if self.was_training else "So far ")
                    + f"the training passes run with model.eval(): dropout is off and batch norm "
                    f"uses stored statistics ({len(self.layers)} such layers).",
                    "Call model.train() before training"
                    + (" goes on after each evaluation." if self.was_training else "."),
                    where=self.layers[0],
                ),
            )
        elif new is False:
            loop.events.passes(LEFT, loop.step)

    def _trains(self, loop: Loop) -> None:
        if loop.silent + loop.quiet < 2:  # no evaluation between these two steps
            return
        new = self.trains.see(loop.silent >= 2)
        if new:
            assert self.layers is not None
            loop.events.say(
                loop.step,
                found(
                    TRAINS,
                    "The model is evaluated in training mode",
                    Severity.MEDIUM,
                    f"{loop.silent} passes without gradients ran in training mode: dropout was "
                    "active, and batch norm took its statistics from the evaluated data.",
                    "Call model.eval() before an evaluation and model.train() after it.",
                    where=self.layers[0],
                ),
            )
        elif new is False:
            loop.events.passes(TRAINS, loop.step)
