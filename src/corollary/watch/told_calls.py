"""Notifies watchers of calls without another trace: clipping, loading, saving, sampling.

However the loop has imported them, these functions are looked up in their module or class when they
are called. While a watcher is open, these names notify the watchers and then call the original
function with the same result. The last watcher to close restores the originals.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

import torch
from torch import Tensor, distributions, nn
from torch.distributions import Distribution
from torch.nn.utils import clip_grad
from torch.optim import Optimizer
from torch.optim.lr_scheduler import ReduceLROnPlateau

_listeners: list["Listener"] = []


class Listener(Protocol):
    """An object to be notified of these calls."""

    def clipped(self, parameters: Sequence[Tensor], most: float, norm: Any) -> None:
        """Gradients of these parameters are about to be scaled to a norm of at most ``most``."""

    def compared(self, scheduler: ReduceLROnPlateau, value: float) -> None:
        """A plateau scheduler was given a value."""

    def loaded(self, target: nn.Module | Optimizer, state: Any, result: Any) -> None:
        """A module or an optimizer has loaded a state; ``result`` names keys that did not fit."""

    def saved(self, optimizer: Optimizer, state: dict[str, Any]) -> None:
        """The state of an optimizer was copied."""

    def differentiated(self, inputs: Sequence[Tensor], graph: bool) -> None:
        """``torch.autograd.grad`` is called, with or without ``create_graph``."""

    def drawn(self, distribution: Distribution, value: Tensor) -> None:
        """Values were sampled without a gradient."""

    def scored(self, value: Tensor | None, result: Tensor) -> None:
        """The log-probability of a value was computed, or without a value the entropy."""


def listen(listener: Listener) -> None:
    """Notify ``listener`` of each call from now on."""
    _listeners.append(listener)
    for owner, name, own, told in _PLACES:
        if getattr(owner, name) is own:
            setattr(owner, name, told)


def stop_listening(listener: Listener) -> None:
    """The inverse of :func:`listen`."""
    if listener in _listeners:
        _listeners.remove(listener)
    if _listeners:
        return
    for owner, name, own, told in _PLACES:
        if getattr(owner, name) is told:
            setattr(owner, name, own)


def _tell(what: str, *facts: Any) -> None:
    for listener in list(_listeners):
        getattr(listener, what)(*facts)


def _clip(own: Any) -> Any:
    def told(parameters: Any, max_norm: float, total_norm: Any, *args: Any, **kwargs: Any) -> Any:
        given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
        _tell("clipped", given, float(max_norm), total_norm)
        return own(given, max_norm, total_norm, *args, **kwargs)

    return told


def _better(own: Any) -> Any:
    def told(self: ReduceLROnPlateau, a: Any, best: Any) -> bool:
        _tell("compared", self, float(a))
        return bool(own(self, a, best))

    return told


def _load(own: Any) -> Any:
    def load_state_dict(self: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        result = own(self, state_dict, *args, **kwargs)
        _tell("loaded", self, state_dict, result)
        return result

    return load_state_dict


def _save(own: Any) -> Any:
    def state_dict(self: Optimizer, *args: Any, **kwargs: Any) -> dict[str, Any]:
        state: dict[str, Any] = own(self, *args, **kwargs)
        _tell("saved", self, state)
        return state

    return state_dict


def _grad(own: Any) -> Any:
    def grad(outputs: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        given = [inputs] if isinstance(inputs, Tensor) else list(inputs)
        graph = kwargs.get("create_graph", args[2] if len(args) > 2 else False)
        _tell("differentiated", [t for t in given if isinstance(t, Tensor)], bool(graph))
        return own(outputs, inputs if isinstance(inputs, Tensor) else given, *args, **kwargs)

    return grad


def _sample(own: Any) -> Any:
    def sample(self: Distribution, *args: Any, **kwargs: Any) -> Tensor:
        value: Tensor = own(self, *args, **kwargs)
        if self.has_rsample and torch.is_grad_enabled():
            _tell("drawn", self, value)
        return value

    return sample


def _log_prob(own: Any) -> Any:
    def log_prob(self: Distribution, value: Any) -> Tensor:
        result: Tensor = own(self, value)
        if isinstance(value, Tensor) and result.requires_grad:
            _tell("scored", value, result)
        return result

    return log_prob


def _entropy(own: Any) -> Any:
    def entropy(self: Distribution) -> Tensor:
        result: Tensor = own(self)
        if result.requires_grad:
            _tell("scored", None, result)
        return result

    return entropy


def _places() -> list[tuple[Any, str, Any, Any]]:
    """For each name: its home, the original and the replacement."""
    made: list[tuple[Any, str, Callable[[Any], Any]]] = [
        (clip_grad, "_clip_grads_with_norm_", _clip),  # of torch 2.6 and later
        (ReduceLROnPlateau, "_is_better", _better),
        (nn.Module, "load_state_dict", _load),
        (Optimizer, "load_state_dict", _load),
        (Optimizer, "state_dict", _save),
        (torch.autograd, "grad", _grad),
    ]
    for kind in vars(distributions).values():
        if isinstance(kind, type) and issubclass(kind, Distribution):
            own = vars(kind)
            made += [(kind, "sample", _sample)] if "sample" in own else []
            made += [(kind, "log_prob", _log_prob)] if "log_prob" in own else []
            made += [(kind, "entropy", _entropy)] if "entropy" in own else []
    found = []
    for owner, name, wrap in made:
        with suppress(AttributeError):
            found.append((owner, name, getattr(owner, name), wrap(getattr(owner, name))))
    return found


_PLACES = _places()
