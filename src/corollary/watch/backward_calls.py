"""Notifies watchers of every backward pass, for which torch offers no hook.

``Tensor.backward`` and every framework call ``torch.autograd.backward`` by its name, so while a
watcher is open, this name is replaced by a function that notifies the watchers and then calls the
original with the same arguments. The last watcher to close restores the original.
"""

import threading
from collections.abc import Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

_listeners: list["Listener"] = []
_own = torch.autograd.backward
_nested = threading.local()  # reentrant checkpointing calls backward from within a backward pass


class Listener(Protocol):
    """An object to be notified of backward passes."""

    def before_backward(self, roots: Sequence[Tensor]) -> None:
        """Called before the backward pass, when the graph exists."""

    def after_backward(self, roots: Sequence[Tensor]) -> None:
        """Called after the backward pass, when the gradients exist."""


def listen(listener: Listener) -> None:
    """Notify ``listener`` of each backward pass from now on."""
    _listeners.append(listener)
    torch.autograd.backward = _told_backward


def stop_listening(listener: Listener) -> None:
    """The inverse of :func:`listen`."""
    if listener in _listeners:
        _listeners.remove(listener)
    if not _listeners and torch.autograd.backward is _told_backward:
        torch.autograd.backward = _own


def _told_backward(tensors: Any, *args: Any, **kwargs: Any) -> None:
    if torch.compiler.is_compiling() or getattr(_nested, "inside", False):
        return _own(tensors, *args, **kwargs)
    roots = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    told = list(_listeners)
    for listener in told:
        listener.before_backward(roots)
    _nested.inside = True
    try:
        _own(tensors, *args, **kwargs)
    finally:
        _nested.inside = False
    for listener in told:
        listener.after_backward(roots)
