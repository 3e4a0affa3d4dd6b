"""Samples in memory: inputs by place and by name, and targets."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from corollary.errors import InputError, InputTypeError

_TARGET_KEYS = ("labels", "label", "target", "targets", "y")


@dataclass(frozen=True)
class Batch:
    """What a module is called with, and what it should answer. The first axis counts samples."""

    inputs: tuple[Any, ...]
    named: dict[str, Any] = field(default_factory=dict)
    target: Any = None

    @property
    def size(self) -> int:
        """Number of samples."""
        return next((len(t) for t in self.tensors()), 0)

    def tensors(self) -> list[Tensor]:
        """Input tensors, those by place first."""
        return [v for v in (*self.inputs, *self.named.values()) if isinstance(v, Tensor)]

    def first(self, n: int) -> "Batch":
        """The first ``n`` samples."""
        return self.slice(slice(0, n))

    def spread(self, n: int) -> "Batch":
        """``n`` samples from all over, always the same: the first ones of sorted data are alike.

        Example:
            >>> Batch((torch.arange(8),)).spread(3).size
            3
        """
        if n >= self.size:
            return self
        chosen = torch.randperm(self.size, generator=torch.Generator().manual_seed(0))[:n]
        return self.slice(chosen.sort().values)

    def slice(self, which: slice | Tensor) -> "Batch":
        """Chosen samples, by slice or by a tensor of indices."""
        size = self.size

        def cut(value: Any) -> Any:
            if not isinstance(value, Tensor) or value.dim() == 0 or len(value) != size:
                return value
            return value[which] if value.layout is torch.strided else _sparse_rows(value, which)

        named = {k: cut(v) for k, v in self.named.items()}
        return Batch(tuple(map(cut, self.inputs)), named, cut(self.target))

    def with_inputs(self, *tensors: Tensor) -> "Batch":
        """The same batch with the input tensors replaced, in the order of :meth:`tensors`."""
        fresh = iter(tensors)

        def swap(value: Any) -> Any:
            return next(fresh) if isinstance(value, Tensor) else value

        inputs = tuple(map(swap, self.inputs))
        return Batch(inputs, {k: swap(v) for k, v in self.named.items()}, self.target)

    def without(self, name: str) -> "Batch":
        """The same batch without an input by name."""
        return Batch(self.inputs, {k: v for k, v in self.named.items() if k != name}, self.target)

    def describe(self) -> dict[str, str]:
        """Shapes and types for the head of a report."""
        named = {f"input {i}": v for i, v in enumerate(self.inputs)} | self.named
        if self.target is not None:
            named["target"] = self.target
        return {k: _shape(v) for k, v in named.items() if isinstance(v, Tensor)}


def gather(data: Any, samples: int) -> Batch:
    """At most ``samples`` samples of ``data``, in memory.

    Raises:
        InputError: if there are none, or their lengths differ.
        InputTypeError: if this is no data at all.
    """
    if isinstance(data, Batch):
        batch = data
    elif isinstance(data, Tensor) or _is_pair(data) or isinstance(data, Mapping):
        batch = _batch(data)
    elif isinstance(data, Dataset) and hasattr(data, "__len__"):
        loader: Iterable[Any] = DataLoader(data, batch_size=max(1, min(samples, len(data))))
        batch = _joined(loader, samples)
    elif isinstance(data, Iterable):
        batch = _joined(data, samples)
    else:
        raise InputTypeError(
            f"data must be (x, y), a dict of tensors, a Dataset or a DataLoader, got "
            f"{type(data).__name__}"
        )
    lengths = {len(t) for t in batch.tensors() if t.dim() > 0}
    if isinstance(batch.target, Tensor) and batch.target.dim() > 0:
        lengths.add(len(batch.target))
    if len(lengths) > 1:
        raise InputError(
            f"inputs and targets must have the same number of samples, but they have "
            f"{', '.join(map(str, sorted(lengths)))}"
        )
    if batch.size == 0:
        raise InputError("the data has no samples")
    return batch.first(samples)


def _is_pair(data: Any) -> bool:
    return (
        isinstance(data, list | tuple)
        and len(data) == 2
        and isinstance(data[1], Tensor)
        and (isinstance(data[0], Tensor | Mapping) or isinstance(data[0], list | tuple))
    )


def _batch(data: Any) -> Batch:
    """One batch as loaders give it."""
    if isinstance(data, Tensor):
        return Batch((data,))
    if isinstance(data, Mapping):
        named = dict(data)
        for key in _TARGET_KEYS[1:]:  # `labels` stays: models of transformers take it themselves
            if isinstance(named.get(key), Tensor):
                return Batch((), named, named.pop(key))
        return Batch((), named, named.get("labels"))
    if isinstance(data, list | tuple) and data:
        if len(data) == 1 and isinstance(data[0], Mapping):
            return _batch(data[0])
        *inputs, target = data if len(data) > 1 else (data[0], None)
        if len(inputs) == 1 and isinstance(inputs[0], list | tuple):
            inputs = list(inputs[0])
        if len(inputs) == 1 and isinstance(inputs[0], Mapping):
            return Batch((), dict(inputs[0]), target)
        return Batch(tuple(inputs), {}, target)
    kind = type(data).__name__
    raise InputTypeError(f"a batch must be a tensor, a pair or a dict, got {kind}")


def _joined(batches: Iterable[Any], samples: int) -> Batch:
    parts: list[Batch] = []
    for item in batches:
        parts.append(_batch(item))
        if sum(part.size for part in parts) >= samples:
            break
    if not parts:
        raise InputError("the data has no samples")

    first = parts[0]
    shapes = zip(*([t.shape[1:] for t in part.tensors()] for part in parts), strict=True)
    if any(len(set(row)) > 1 for row in shapes):
        return first  # padded text: batches of other lengths cannot be joined, one stands for all

    def join(values: list[Any]) -> Any:
        countable = all(isinstance(v, Tensor) and v.dim() > 0 for v in values)
        return torch.cat(values) if countable else values[0]

    inputs = tuple(join([p.inputs[i] for p in parts]) for i in range(len(first.inputs)))
    named = {k: join([p.named[k] for p in parts]) for k in first.named}
    return Batch(inputs, named, join([p.target for p in parts]))


def _sparse_rows(value: Tensor, which: slice | Tensor) -> Tensor:
    """Rows of a sparse matrix, which cannot be sliced."""
    rows = torch.arange(len(value))[which] if isinstance(which, slice) else which
    chosen: Tensor = value.to_sparse_coo().coalesce().index_select(0, rows)
    return chosen.to_sparse_csr() if value.layout is torch.sparse_csr else chosen


def _shape(value: Tensor) -> str:
    return f"{'×'.join(map(str, value.shape))} {str(value.dtype).removeprefix('torch.')}"
