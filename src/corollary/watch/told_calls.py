"""Told of two calls that leave no other trace: gradient clipping and plateau schedulers.

However the loop has imported them, ``clip_grad_norm_`` looks up a function of its module when it is
called, and ``ReduceLROnPlateau.step`` a method of its class. While a watcher is open these names
tell the watchers and then do what they did. The last watcher to close puts torch's own back.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from torch import Tensor
from torch.nn.utils import clip_grad
from torch.optim.lr_scheduler import ReduceLROnPlateau

_listeners: list["Listener"] = []
_CLIP = "_clip_grads_with_norm_"
_own_clip: Any = getattr(clip_grad, _CLIP, None)  # of torch 2.6 and later
_own_better: Any = ReduceLROnPlateau._is_better


class Listener(Protocol):
    """Who wants to know."""

    def clipped(self, parameters: Sequence[Tensor], most: float, norm: Any) -> None:
        """Gradients of these parameters are about to be scaled to a norm of at most ``most``."""

    def compared(self, scheduler: ReduceLROnPlateau, value: float) -> None:
        """A plateau scheduler was given a value."""


def listen(listener: Listener) -> None:
    """Tell ``listener`` of each call from now on."""
    _listeners.append(listener)
    _put(_told_clip, _told_better)


def stop_listening(listener: Listener) -> None:
    """The inverse of :func:`listen`."""
    if listener in _listeners:
        _listeners.remove(listener)
    if not _listeners:
        _put(_own_clip, _own_better)


def _put(clip: Any, better: Any) -> None:
    if _own_clip is not None:
        setattr(clip_grad, _CLIP, clip)
    ReduceLROnPlateau._is_better = better  # type: ignore[method-assign]


def _told_clip(parameters: Any, max_norm: float, total_norm: Any, *args: Any, **kwargs: Any) -> Any:
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    for listener in list(_listeners):
        listener.clipped(given, float(max_norm), total_norm)
    return _own_clip(given, max_norm, total_norm, *args, **kwargs)


def _told_better(self: ReduceLROnPlateau, a: Any, best: Any) -> bool:
    for listener in list(_listeners):
        listener.compared(self, float(a))
    return bool(_own_better(self, a, best))
