"""Data as a stream of batches: what a module is called with, and what its loss compares with.

A *batch* is a tensor (inputs alone), a mapping (keyword inputs) or a pair ``(inputs, target)``
whose inputs are a tensor, a tuple or list (several inputs) or a mapping. A list, a ``DataLoader``
or any other iterable that can be walked more than once is a stream of batches.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from torch import Tensor

from corollary.errors import InputError, InputTypeError

_FORMS = "a tensor, a mapping, a pair (inputs, target), or a list or DataLoader of such batches"


class Batch(NamedTuple):
    """One call of the module and, if there is one, the target of its loss."""

    inputs: tuple[Any, ...]
    keywords: dict[str, Any]
    target: tuple[Any, ...]  # empty when the loss reads the output alone
    size: int  # number of examples

    def split(self, size: int) -> "list[Batch]":
        """The same examples in batches of at most ``size``."""
        if size >= self.size:
            return [self]
        parts = []
        for start in range(0, self.size, size):
            stop = min(start + size, self.size)
            inputs, keywords, target = _chosen(self[:3], self.size, slice(start, stop))
            parts.append(Batch(inputs, keywords, target, stop - start))
        return parts

    def take(self, rows: Tensor) -> "Batch":
        """The examples with these numbers, in this order."""
        inputs, keywords, target = _chosen(self[:3], self.size, rows)
        return Batch(inputs, keywords, target, len(rows))


def as_batch(item: Any) -> Batch:
    """Read one batch.

    Example:
        >>> import torch
        >>> as_batch((torch.zeros(3, 2), torch.zeros(3))).size
        3
    """
    if isinstance(item, Tensor):
        return _sized((item,), {}, ())
    if isinstance(item, Mapping):
        return _sized((), dict(item), ())
    if isinstance(item, tuple | list) and len(item) == 2:
        inputs, target = item
        if isinstance(inputs, Mapping):
            return _sized((), dict(inputs), (target,))
        if isinstance(inputs, tuple | list):
            return _sized(tuple(inputs), {}, (target,))
        return _sized((inputs,), {}, (target,))
    if isinstance(item, tuple | list) and len(item) == 1:
        return as_batch(item[0])
    raise InputTypeError(f"a batch must be {_FORMS}, got {_described(item)}")


def stream(data: Any) -> Callable[[], Iterator[Batch]]:
    """A function that walks through the batches of ``data`` from the start."""
    if isinstance(data, Tensor | Mapping | tuple):
        only = as_batch(data)
        return lambda: iter((only,))
    if not isinstance(data, Iterable) or isinstance(data, str | bytes):
        raise InputTypeError(f"data must be {_FORMS}, got {_described(data)}")
    if isinstance(data, Iterator):
        raise InputTypeError(
            "data is an iterator that can be used only once, but products with a Hessian "
            "need the data many times; pass list(data) or a DataLoader"
        )
    if isinstance(data, list) and len(data) == 2 and all(isinstance(t, Tensor) for t in data):
        raise InputTypeError(
            "data is a list of two tensors, which could be two batches or inputs and target; pass "
            "the tuple (inputs, target), or [(first,), (second,)] for two batches without target"
        )
    return lambda: map(as_batch, data)


def tensors(item: Any) -> Iterator[Tensor]:
    """All tensors inside nested tuples, lists and mappings."""
    if isinstance(item, Tensor):
        yield item
    elif isinstance(item, Mapping):
        for value in item.values():
            yield from tensors(value)
    elif isinstance(item, tuple | list):
        for value in item:
            yield from tensors(value)


def _sized(inputs: tuple[Any, ...], keywords: dict[str, Any], target: tuple[Any, ...]) -> Batch:
    first = next((t for t in tensors((inputs, keywords)) if t.ndim > 0), None)
    if first is None:
        raise InputTypeError("a batch needs at least one input tensor with an axis of examples")
    if len(first) == 0:
        raise InputError(
            "a batch has no examples, because the first axis of its input has length 0"
        )
    return Batch(inputs, keywords, target, len(first))


def _chosen(item: Any, n: int, rows: slice | Tensor) -> Any:
    """Rows of every tensor that has ``n`` of them; anything else is shared by all parts."""
    if isinstance(item, Tensor):
        if item.ndim == 0 or len(item) != n:
            return item
        return item[rows] if isinstance(rows, slice) else item[rows.to(item.device)]
    if isinstance(item, Mapping):
        return {key: _chosen(value, n, rows) for key, value in item.items()}
    if isinstance(item, tuple | list):
        return tuple(_chosen(value, n, rows) for value in item)
    return item


def _described(item: Any) -> str:
    size = f" of length {len(item)}" if isinstance(item, tuple | list) else ""
    return f"{type(item).__name__}{size}"
