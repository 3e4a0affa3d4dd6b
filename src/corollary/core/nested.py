"""Tensors in nested lists, tuples and dicts."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Every tensor within a value, in order.

    Example:
        >>> [len(t) for t in tensors_in({"a": torch.zeros(2), "b": [torch.zeros(3), "word"]})]
        [2, 3]
    """
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from tensors_in(part)


def mapped(rule: Callable[[Tensor], Tensor], value: Any) -> Any:
    """The same value with every tensor replaced; the rest stays."""
    if isinstance(value, Tensor):
        return rule(value)
    if isinstance(value, Mapping):
        return {name: mapped(rule, part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return _like(value, [mapped(rule, part) for part in value])
    return value


def chosen(value: Any, which: slice | Tensor, size: int) -> Any:
    """The chosen samples of ``size``: rows of each tensor, or items of a list of samples."""
    if isinstance(value, list) and _is_list_of_samples(value, size):
        return [value[i] for i in torch.arange(size)[which].tolist()]
    return mapped(lambda t: _rows(t, which) if t.dim() > 0 and len(t) == size else t, value)


def joined(values: list[Any], sizes: list[int]) -> Any:
    """Values of several batches combined into one; the first value if they cannot be combined."""
    first = values[0]
    if all(isinstance(v, Tensor) and v.dim() > 0 for v in values):
        return torch.cat(values)
    if isinstance(first, Mapping):
        return {name: joined([v[name] for v in values], sizes) for name in first}
    if all(map(_is_list_of_samples, values, sizes)):
        return [item for value in values for item in value]
    if isinstance(first, list | tuple):
        return _like(first, [joined(list(part), sizes) for part in zip(*values, strict=True)])
    return first


def entries(name: str, value: Any) -> Iterator[tuple[str, Tensor]]:
    """Tensors with their names, such as ``target.boxes``."""
    if isinstance(value, Tensor):
        yield name, value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from entries(f"{name}.{key}", part)
    elif isinstance(value, list | tuple):
        for i, part in enumerate(value):
            yield from entries(f"{name}.{i}", part)


def _is_list_of_samples(value: Any, size: int) -> bool:
    """Whether the items are samples and not columns: their lengths differ from their number.

    Example:
        >>> boxes = [{"boxes": torch.zeros(k, 4)} for k in (1, 3)]
        >>> _is_list_of_samples(boxes, 2), _is_list_of_samples([torch.zeros(2)] * 2, 2)
        (True, False)
    """
    if not isinstance(value, list) or len(value) != size:
        return False
    return not all(t.dim() > 0 and len(t) == size for t in tensors_in(value))


def _like(value: Any, parts: list[Any]) -> Any:
    """A list or tuple of the kind of ``value``."""
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)


def _rows(value: Tensor, which: slice | Tensor) -> Tensor:
    """Rows of a tensor; a sparse matrix cannot be sliced."""
    if value.layout is torch.strided:
        return value[which]
    rows = torch.arange(len(value))[which] if isinstance(which, slice) else which
    found: Tensor = value.to_sparse_coo().coalesce().index_select(0, rows)
    return found.to_sparse_csr() if value.layout is torch.sparse_csr else found
