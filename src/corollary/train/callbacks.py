"""What may listen to a run: called after each step or epoch, may record, may ask to stop."""

from collections.abc import Callable, Iterable
from typing import Any

from torch import nn

from corollary.errors import InputTypeError
from corollary.train.loop import Loop
from corollary.train.preparation import check_whole, modes_kept

Wish = str | bool | None  # a reason to stop, True to stop without one; None and False go on


class Callback:
    """Base of listeners; its methods do nothing unless overridden.

    A listener sees the run itself (``loop.model``, ``loop.optimizer``, ``loop.history``) and may
    add to its history with ``loop.record(name, value)``.
    """

    def on_step(self, loop: Loop) -> Wish:
        """Called after each update."""

    def on_epoch(self, loop: Loop) -> Wish:
        """Called after the last update of an epoch."""

    def on_end(self, loop: Loop) -> None:
        """Called once, after the last update of the run, whatever ended it (but not an error)."""


class Measure(Callback):
    """Records functions of the model every so many steps, with the model in evaluation mode.

    Example:
        >>> Measure(every=10, norm=lambda model: model.weight.norm()).every
        10
    """

    def __init__(self, every: int = 1, **functions: Callable[[nn.Module], Any]) -> None:
        check_whole("every", every, 1)
        self.every, self.functions = every, functions

    def on_step(self, loop: Loop) -> None:
        """Measure if it is time."""
        if loop.step % self.every == 0:
            with loop.whole(), modes_kept(loop.model):
                loop.model.eval()
                for name, function in self.functions.items():
                    loop.record(name, function(loop.model))


class StopBelow(Callback):
    """Asks to stop when the loss of a step is at most ``loss``."""

    def __init__(self, loss: float) -> None:
        self.loss = loss

    def on_step(self, loop: Loop) -> Wish:
        """Compare the latest loss."""
        value = loop.history.losses[-1]
        return f"the loss {value:.4g} is at most {self.loss:g}" if value <= self.loss else None


class Listeners:
    """Several listeners as one for each occasion: plain functions listen to steps."""

    def __init__(self, callbacks: Iterable[Any]) -> None:
        self.on_step: list[Callable[[Loop], Wish]] = []
        self.on_epoch: list[Callable[[Loop], Wish]] = []
        self.on_end: list[Callable[[Loop], Wish]] = []
        for callback in callbacks:
            found = False
            for name in ("on_step", "on_epoch", "on_end"):
                listening = getattr(self, name)
                method = getattr(callback, name, None)
                found = found or method is not None
                if method and getattr(method, "__func__", None) is not getattr(Callback, name):
                    listening.append(method)
            if not found:
                if not callable(callback):
                    raise InputTypeError(
                        "a callback must be a function of the loop, or have on_step, "
                        f"on_epoch or on_end, got {type(callback).__name__}"
                    )
                self.on_step.append(callback)

    def hear(self, loop: Loop, last: bool) -> str:
        """Call all; the first reason to stop is returned, and nobody is left out."""
        wishes = [listen(loop) for listen in self.on_step]
        if last:
            wishes += [listen(loop) for listen in self.on_epoch]
        wish = next((wish for wish in wishes if wish), "")
        return wish if isinstance(wish, str) else "the callback gave no reason"

    def end(self, loop: Loop) -> None:
        """Tell those who want to know that the run is over."""
        for listen in self.on_end:
            listen(loop)
