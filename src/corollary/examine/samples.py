"""Data in any usual form, as a subject takes it: tensors, or batches of them."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, IterableDataset, default_collate

from corollary.core.graphs import is_graph
from corollary.errors import InputError

ROWS = 256  # samples that are put together at a time


def as_batches(data: Any) -> Any:
    """Arrays and tables become tensors, and single samples are combined into batches.

    A Dataset without a length, and a list or generator of samples, give batches as a loader would;
    an item is a sample if its target is one number. Other data stays unchanged.

    Raises:
        InputError: if an array holds anything but numbers.

    Example:
        >>> pairs = [(torch.zeros(2), 0), (torch.ones(2), 1)]
        >>> [tuple(part.shape) for part in next(iter(as_batches(pairs)))]
        [(2, 2), (2,)]
    """
    if is_graph(data):
        return data
    data = as_tensors(data)
    if isinstance(data, IterableDataset):
        return DataLoader(data, batch_size=ROWS)
    if isinstance(data, Tensor | Mapping | Dataset | DataLoader) or _is_whole(data):
        return data
    if not isinstance(data, Iterable):
        return data
    walk = iter(data)
    first = next(walk, None)
    again = data if walk is not data else itertools.chain([] if first is None else [first], walk)
    return _batches(iter(again)) if _is_sample(first) else again


def as_tensors(data: Any) -> Any:
    """Arrays of numpy and tables of pandas become tensors; other data stays unchanged."""
    if isinstance(data, Mapping):
        return {name: _column(name, part) for name, part in data.items()}
    if type(data) in (list, tuple):
        if type(data) is tuple and len(data) == 2 and _is_row(data[1]) and hasattr(data[0], "ndim"):
            data = data[0], torch.as_tensor(data[1])  # labels as a list of numbers
        return type(data)(map(as_tensors, data))
    if callable(getattr(data, "to_numpy", None)):
        data = data.to_numpy()
    if type(data).__module__ == "numpy" and getattr(data, "dtype", None) is not None:
        if data.dtype.kind not in "fiubc":
            raise InputError(f"expected numbers in the data, got an array of {data.dtype}")
        return torch.as_tensor(data)
    return data


def _column(name: str, part: Any) -> Any:
    """A column of a table by name; lists of numbers become a tensor.

    Raises:
        InputError: if the lists have different lengths.
    """
    if not (isinstance(part, list) and _is_number(_innermost(part))):
        return as_tensors(part)
    try:
        return torch.as_tensor(part)
    except ValueError:
        raise InputError(
            f"the lists of '{name}' have different lengths; pad them, for example with "
            "tokenizer(..., padding=True)"
        ) from None


def _innermost(value: Any) -> Any:
    while isinstance(value, list) and value:
        value = value[0]
    return value


def _is_whole(data: Any) -> bool:
    """Whether this holds all samples as ``(x, y)`` or ``((x1, x2), y)``."""
    return isinstance(data, list | tuple) and len(data) == 2 and _is_column(data[1])


def _is_column(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dim() > 0


def _is_sample(item: Any) -> bool:
    """Whether an item is one sample, not a batch: its target is one number."""
    if isinstance(item, Mapping):
        targets = [item[k] for k in ("labels", "label", "target", "targets", "y") if k in item]
        return bool(targets) and _is_number(targets[0])
    if not isinstance(item, list | tuple) or len(item) < 2:
        return False
    target = item[-1]
    if isinstance(target, list | tuple | Mapping) and target:  # several targets
        target = next(iter(target.values() if isinstance(target, Mapping) else target))
    return _is_number(target)


def _is_number(value: Any) -> bool:
    plain = isinstance(value, bool | int | float)
    return plain or (getattr(value, "ndim", None) == 0 and hasattr(value, "dtype"))


def _is_row(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_number, value))


def _batches(samples: Iterator[Any]) -> Iterator[Any]:
    while part := list(itertools.islice(samples, ROWS)):
        try:
            yield default_collate([as_tensors(sample) for sample in part])
        except (RuntimeError, TypeError) as error:
            said = " ".join(str(error).split())
            raise InputError(
                f"the samples cannot be combined into a batch ({said}); pass a DataLoader "
                "whose collate_fn combines them"
            ) from None
