"""Autograd graphs: their nodes, the memory they hold, and whether they can be differentiated."""

from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


def nodes(outputs: Iterable[Tensor]) -> Iterator[Any]:
    """All nodes of the autograd graphs behind ``outputs``."""
    todo = [t.grad_fn for t in outputs if t.grad_fn is not None]
    seen = set(todo)
    while todo:
        node = todo.pop()
        yield node
        fresh = {n for n, _ in node.next_functions if n is not None} - seen
        seen |= fresh
        todo.extend(fresh)


def refuse_once_differentiable(value: Tensor) -> None:
    """Raise if a custom function was marked so; autograd would take its derivative for constant."""
    mark = once_differentiable(lambda ctx: None).__code__
    for node in nodes([value]):
        backward = getattr(getattr(node, "_forward_cls", None), "backward", None)
        if getattr(backward, "__code__", None) is mark:
            raise NotImplementedError(f"{node.name()} is marked once_differentiable")


def graph_bytes(outputs: Iterable[Tensor], besides: Iterable[Tensor] = ()) -> int:
    """Memory held by the autograd graphs behind ``outputs``.

    A tensor saved twice counts once; storage that ``besides`` (parameters, data) holds anyway
    does not count.
    """
    owned = {t.untyped_storage().data_ptr() for t in besides if t.layout == torch.strided}
    held = {}
    for node in nodes(outputs):
        for tensor in _saved(node):
            if tensor.untyped_storage().data_ptr() not in owned:
                held[tensor.data_ptr()] = tensor.numel() * tensor.element_size()
    return sum(held.values())


def _saved(node: object) -> Iterator[Tensor]:
    for name in dir(node):  # functions written in Python have them all under one name
        if name.startswith("_saved_") or name == "saved_tensors":
            value = getattr(node, name)
            for item in value if isinstance(value, tuple | list) else (value,):
                if isinstance(item, Tensor) and item.layout == torch.strided:
                    yield item
