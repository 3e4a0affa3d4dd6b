"""Hooks on a loop: the model's calls, backward passes and optimizer steps, all removable.

Hooks change nothing, and an error inside them never reaches the loop: it is counted, and after a
few errors the hooks are removed.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.distributions import Distribution
from torch.optim import Optimizer
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from corollary.watch import told_calls
from corollary.watch.backward_calls import listen, stop_listening

MOST_ERRORS = 3  # before all ears are closed


class Hearing(Protocol):
    """The callbacks for the events of a loop."""

    def called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The model is about to compute."""

    def answered(self, output: Any) -> None:
        """The model has computed."""

    def backward_begins(self, roots: Sequence[Tensor]) -> None:
        """A backward pass is about to begin."""

    def backward_ended(self, roots: Sequence[Tensor]) -> None:
        """Gradients are there."""

    def step_begins(self, optimizer: Optimizer, closure: bool) -> None:
        """Parameters are about to change."""

    def step_ended(self, optimizer: Optimizer) -> None:
        """Parameters have changed."""

    def clipped(self, parameters: Sequence[Tensor], most: float, norm: Any) -> None:
        """Gradients are about to be clipped."""

    def compared(self, scheduler: ReduceLROnPlateau, value: float) -> None:
        """A plateau scheduler was given a value."""

    def told(self, occasion: str, *facts: Any) -> None:
        """Something was loaded, saved, differentiated, sampled or scored."""

    def failed(self, where: str, error: Exception) -> None:
        """One of the methods above raised an error."""


class Ears:
    """Hooks that are attached on creation; :meth:`remove` detaches them."""

    watches = True  # its hooks count and store nothing of the loop

    def __init__(self, model: nn.Module, hearing: Hearing) -> None:
        self.hearing = hearing
        self._errors = 0
        self._handles = [
            model.register_forward_pre_hook(self._called, with_kwargs=True),
            model.register_forward_hook(self._answered, with_kwargs=True),
            register_optimizer_step_pre_hook(self._step_begins),
            register_optimizer_step_post_hook(self._step_ended),
        ]
        listen(self)
        told_calls.listen(self)

    def remove(self) -> None:
        """Restore the loop."""
        stop_listening(self)
        told_calls.stop_listening(self)
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def before_backward(self, roots: Sequence[Tensor]) -> None:
        """Called by :mod:`backward_calls`."""
        self._safely(self.hearing.backward_begins, roots)

    def after_backward(self, roots: Sequence[Tensor]) -> None:
        """Called by :mod:`backward_calls`."""
        self._safely(self.hearing.backward_ended, roots)

    def clipped(self, parameters: Sequence[Tensor], most: float, norm: Any) -> None:
        """Called by :mod:`told_calls`."""
        self._safely(self.hearing.clipped, parameters, most, norm)

    def compared(self, scheduler: ReduceLROnPlateau, value: float) -> None:
        """Called by :mod:`told_calls`."""
        self._safely(self.hearing.compared, scheduler, value)

    def loaded(self, target: nn.Module | Optimizer, state: Any, result: Any) -> None:
        """Called by :mod:`told_calls`."""
        self._safely(self.hearing.told, "on_load", target, state, result)

    def saved(self, optimizer: Optimizer, state: dict[str, Any]) -> None:
        """Called by :mod:`told_calls`."""
        self._safely(self.hearing.told, "on_save", optimizer, state)

    def differentiated(self, inputs: Sequence[Tensor], graph: bool) -> None:
        """Called by :mod:`told_calls`."""
        self._safely(self.hearing.told, "on_grad", inputs, graph)

    def drawn(self, distribution: Distribution, value: Tensor) -> None:
        """Called by :mod:`told_calls`."""
        self._safely(self.hearing.told, "on_sample", distribution, value)

    def scored(self, value: Tensor | None, result: Tensor) -> None:
        """Called by :mod:`told_calls`."""
        self._safely(self.hearing.told, "on_log_prob", value, result)

    def _called(self, _: nn.Module, args: Any, kwargs: Any) -> None:
        if not torch.compiler.is_compiling():
            self._safely(self.hearing.called, args, kwargs)

    def _answered(self, _: nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        if not torch.compiler.is_compiling():
            self._safely(self.hearing.answered, output)

    def _step_begins(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if not torch.compiler.is_compiling():
            closure = bool(len(args) > 1 and args[1] is not None) or bool(kwargs.get("closure"))
            self._safely(self.hearing.step_begins, optimizer, closure)

    def _step_ended(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if not torch.compiler.is_compiling():
            self._safely(self.hearing.step_ended, optimizer)

    def _safely(self, method: Callable[..., None], *args: Any) -> None:
        if self._errors >= MOST_ERRORS:
            return  # who has missed a call does not know what the next one means
        try:
            method(*args)
        except Exception as error:
            self._errors += 1
            self.hearing.failed(method.__name__, error)


def unwrapped(optimizer: Any) -> Optimizer:
    """The torch optimizer inside a wrapper, such as those of accelerate and Lightning."""
    while not isinstance(optimizer, Optimizer) or hasattr(optimizer, "optimizer"):
        inner = getattr(optimizer, "optimizer", None) or getattr(optimizer, "_optimizer", None)
        if inner is None:
            break
        optimizer = inner
    return optimizer  # type: ignore[no-any-return]


def has_hooks(model: nn.Module) -> bool:
    """Whether a module has forward hooks of other packages, which may count or store calls."""
    found = [
        hook
        for module in model.modules()
        for hook in (*module._forward_hooks.values(), *module._forward_pre_hooks.values())
    ]
    return any(not getattr(getattr(hook, "__self__", None), "watches", False) for hook in found)
