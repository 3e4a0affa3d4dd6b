"""The events that a detector can observe, and how it reports findings."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn
from torch.distributions import Distribution
from torch.optim import Optimizer
from torch.optim.lr_scheduler import ReduceLROnPlateau

from corollary.core.finding import Finding, Severity
from corollary.core.measurement import Reading
from corollary.watch.measure.layers import LayerProbe
from corollary.watch.measure.updates import Update
from corollary.watch.state import Loop, Owned


class Detector:
    """The methods do nothing unless overridden; all are called with the state of the loop."""

    every_step = False  # whether to be told of steps that are not followed closely, too

    def on_call(self, loop: Loop) -> None:
        """The model is about to compute with gradients."""

    def on_answer(self, loop: Loop, output: Any) -> None:
        """The model has computed with gradients."""

    def on_silent_call(self, loop: Loop, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The model is about to compute without gradients."""

    def on_silent_answer(self, loop: Loop) -> None:
        """The model has computed without gradients."""

    def on_other_step(self, loop: Loop, optimizer: Optimizer) -> None:
        """An optimizer without parameters of the model has made a step."""

    def on_backward_begin(self, loop: Loop, roots: Sequence[Tensor]) -> None:
        """A backward pass is about to begin."""

    def on_backward(self, loop: Loop, reached: bool) -> None:
        """A backward pass has ended.

        ``reached`` says whether it reached a parameter of the model.
        """

    def on_clip(self, loop: Loop, parameters: Sequence[Tensor], most: float, norm: Any) -> None:
        """Gradients are about to be clipped."""

    def on_plateau(self, loop: Loop, scheduler: ReduceLROnPlateau, value: float) -> None:
        """A plateau scheduler was given a value."""

    def on_load(self, loop: Loop, target: nn.Module | Optimizer, state: Any, result: Any) -> None:
        """A module or an optimizer has loaded a state; ``result`` names keys that did not fit."""

    def on_save(self, loop: Loop, optimizer: Optimizer, state: dict[str, Any]) -> None:
        """The state of an optimizer was copied."""

    def on_grad(self, loop: Loop, inputs: Sequence[Tensor], graph: bool) -> None:
        """``torch.autograd.grad`` is called, with or without ``create_graph``."""

    def on_sample(self, loop: Loop, distribution: Distribution, value: Tensor) -> None:
        """Values of a differentiable distribution were sampled without a gradient."""

    def on_log_prob(self, loop: Loop, value: Tensor | None, result: Tensor) -> None:
        """The log-probability of a value was computed, or without a value the entropy."""

    def on_close(self, loop: Loop) -> None:
        """The run is over."""

    def on_step_begin(self, loop: Loop, owned: Owned, closure: bool) -> None:
        """Parameters are about to change."""

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Parameters have changed; the gradients still exist."""

    def on_update(self, loop: Loop, update: Update) -> None:
        """Norms of gradients and updates were measured."""

    def on_layers(self, loop: Loop, probe: LayerProbe) -> None:
        """A pass with hooks on the layers, and its backward pass, are over."""

    def on_reading(self, loop: Loop, name: str, value: float) -> None:
        """A number was measured."""


def found(
    cause: str,
    title: str,
    severity: Severity,
    meaning: str,
    advice: str,
    *,
    where: str = "",
    value: Reading | None = None,
    claims: tuple[str, ...] = (),
    **details: Any,
) -> Finding:
    """The finding of an event; ``cause`` is its name."""
    return Finding(
        cause,
        title,
        severity,
        where=where,
        value=value,
        meaning=meaning,
        advice=advice,
        claims=claims,
        details=details,
    )


def listed(names: Sequence[str], most: int = 3) -> str:
    """Names for a sentence.

    Example:
        >>> listed(["a", "b", "c", "d"])
        'a, b, c and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
