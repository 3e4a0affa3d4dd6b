"""Training and evaluation mode, where a layer computes differently in each."""

from typing import Any

import torch
from torch import Tensor, nn

from corollary.core.finding import Severity
from corollary.watch.detect.detector import Detector, found, listed
from corollary.watch.event import Streak
from corollary.watch.state import Loop, Owned

LEFT = "mode/eval_during_training"
TRAINS = "mode/training_during_evaluation"
GRADIENTS = "mode/gradients_during_evaluation"
STEPS = "mode/steps_during_evaluation"
RANDOM = "mode/random_in_evaluation"
SMALL = "mode/batch_too_small"
RARE = 5  # steps between two passes without gradients that belong to evaluations


def by_mode(model: nn.Module) -> dict[str, nn.Module]:
    """Layers that compute differently in training and evaluation, by name."""
    return {name: layer for name, layer in model.named_modules() if _depends(layer)}


def _depends(layer: nn.Module) -> bool:
    if isinstance(layer, nn.modules.dropout._DropoutNd):
        return layer.p > 0
    if isinstance(layer, nn.modules.batchnorm._NormBase):
        return layer.track_running_stats
    if isinstance(layer, nn.RNNBase | nn.MultiheadAttention):
        return float(layer.dropout) > 0
    return not type(layer).__module__.startswith("torch.") and _asks(type(layer))


def _asks(kind: type[nn.Module]) -> bool:
    """Whether the forward method of a class of the user reads ``self.training``."""
    code = getattr(getattr(kind, "forward", None), "__code__", None)
    return code is not None and "training" in code.co_names


def _frozen(layer: nn.Module) -> bool:
    """Whether it has weights and none is trained: then evaluation mode is right."""
    weights = list(layer.parameters(recurse=False))
    return bool(weights) and not any(p.requires_grad for p in weights)


class Mode(Detector):
    """Compares the mode of the model with how it is used."""

    every_step = True

    def __init__(self) -> None:
        self.left, self.trains = Streak(3, release=5), Streak(1, release=3)
        self.layers: dict[str, nn.Module] | None = None
        self.were: set[str] = set()  # layers that have been in training mode
        self.single: list[int] = []  # steps before which one pass ran without gradients
        self.usual = 1  # passes with gradients per step, at the first steps

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Check the pass that led to this step, and the passes between two steps."""
        if owned is not loop.main or not loop.passes:
            return
        if self.layers is None:
            self.layers = by_mode(loop.model)
        self._gradients(loop)
        if self.layers:
            whole = not loop.passes[-1].training
            quiet = [
                n for n, m in self.layers.items() if not _frozen(m) and (whole or not m.training)
            ]
            self._left(loop, quiet, whole)
            self._trains(loop)
            self.were |= self.layers.keys() - set(quiet)
            if loop.made == 5:
                self._small(loop)

    def _left(self, loop: Loop, quiet: list[str], whole: bool) -> None:
        assert self.layers is not None
        again = bool(self.were & set(quiet))
        # Batch norm of a pretrained part is often kept in evaluation mode from the start.
        new = self.left.see(bool(quiet))
        if new and loop.events.find(STEPS) is None:
            part = "" if len(quiet) == len(self.layers) else " for some of the layers"
            loop.events.say(
                loop.step,
                found(
                    LEFT,
                    f"The model is trained in evaluation mode{part and ', in part'}",
                    Severity.HIGH if again else Severity.MEDIUM if whole else Severity.LOW,
                    ("After an evaluation " if again else "So far ")
                    + f"training passes run in evaluation mode{part}. Dropout is off and "
                    f"batch norm uses running statistics (in {len(quiet)} of "
                    f"{len(self.layers)} such layers: {listed(quiet)}).",
                    "Call model.train() before training"
                    + (" goes on after each evaluation." if again else "."),
                    where=quiet[0],
                ),
            )
        elif new is False:
            loop.events.passes(LEFT, loop.step)

    def _trains(self, loop: Loop) -> None:
        assert self.layers is not None
        if loop.silent == 1 and not loop.quiet:
            self.single.append(loop.made)
        rare = len(self.single) >= 2 and all(
            b - a >= RARE for a, b in zip(self.single, self.single[1:], strict=False)
        )
        if loop.silent + loop.quiet < 2 and not (rare and loop.silent):
            return  # no evaluation between these two steps
        new = self.trains.see(loop.silent >= 2 or rare)
        if new:
            loop.events.say(
                loop.step,
                found(
                    TRAINS,
                    "The model is evaluated in training mode",
                    Severity.MEDIUM,
                    f"{loop.silent} pass{'es' if loop.silent > 1 else ''} without gradients "
                    "ran in training mode. Dropout was active, and batch norm took its "
                    "statistics from the evaluated data.",
                    "Call model.eval() before an evaluation and model.train() after it.",
                    where=next(iter(self.layers)),
                ),
            )
        elif new is False:
            loop.events.passes(TRAINS, loop.step)

    def _gradients(self, loop: Loop) -> None:
        """Occasionally there are many passes with gradients and no backward pass: an evaluation."""
        if loop.made < 3:
            self.usual = max(self.usual, loop.calls)
        elif loop.calls >= self.usual + 5 and loop.accumulated <= self.usual:
            in_training = loop.training_calls >= self.usual + 5 and bool(self.layers)
            loop.events.say(
                loop.step,
                found(
                    TRAINS if in_training else GRADIENTS,
                    "The model is evaluated with gradients"
                    + (" and in training mode" if in_training else ""),
                    Severity.MEDIUM if in_training else Severity.LOW,
                    f"Before this step {loop.calls} forward passes built a graph, but only "
                    f"{loop.accumulated} of them had a backward pass.",
                    "Call model.eval() and use torch.no_grad() for evaluation.",
                ),
            )

    def _small(self, loop: Loop) -> None:
        """Batch statistics of one or two examples are noise."""
        assert self.layers is not None
        norms = [
            n for n, x in self.layers.items() if isinstance(x, nn.modules.batchnorm._BatchNorm)
        ]
        size = loop.passes[-1].size
        if norms and 0 < size <= 2 and loop.passes[-1].training:
            loop.events.say(
                loop.step,
                found(
                    SMALL,
                    "Batches are too small for batch norm",
                    Severity.LOW if size == 2 else Severity.MEDIUM,
                    f"A batch has {size} example{'s' if size > 1 else ''}. With so few examples, "
                    f"{listed(norms)} removes most of the signal, and evaluation uses other "
                    "statistics.",
                    "Use larger batches, group norm or layer norm.",
                    where=norms[0],
                ),
            )


class RandomEvaluation(Detector):
    """Whether a pass in evaluation mode draws random numbers, as functional dropout does."""

    LOOKS = 4

    def __init__(self) -> None:
        self.before: Tensor | None = None
        self.looks = self.drew = 0

    def on_silent_call(self, loop: Loop, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Remember the random state."""
        look = not loop.model.training and self.looks < self.LOOKS
        self.before = torch.get_rng_state() if look else None

    def on_silent_answer(self, loop: Loop) -> None:
        """Compare it."""
        if self.before is None:
            return
        self.looks += 1
        self.drew += not torch.equal(self.before, torch.get_rng_state())
        self.before = None
        if self.drew == self.LOOKS - 1:
            loop.events.say(
                loop.step,
                found(
                    RANDOM,
                    "The model draws random numbers in evaluation mode",
                    Severity.LOW,
                    f"{self.drew} passes in evaluation mode changed the random state. The "
                    "same input gives different outputs.",
                    "Pass training=self.training to functional dropout, unless the model samples "
                    "on purpose.",
                ),
            )
