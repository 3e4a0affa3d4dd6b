"""Samples in memory: inputs by position and by name, and targets."""

import itertools
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from corollary.core.nested import chosen, entries, mapped, tensors_in

DESCRIBED = 12  # tensors that are described, at most


@dataclass(frozen=True)
class Batch:
    """The inputs of a module and its targets. The first axis is the samples."""

    inputs: tuple[Any, ...]  # tensors, or lists and dicts of them that forward takes whole
    named: dict[str, Any] = field(default_factory=dict)
    target: Any = None

    @property
    def size(self) -> int:
        """Number of samples."""
        return next((len(t) for t in self.tensors() if t.dim() > 0), 0)

    def tensors(self) -> list[Tensor]:
        """Input tensors, positional inputs first."""
        return list(tensors_in((self.inputs, self.named)))

    def first(self, n: int) -> "Batch":
        """The first ``n`` samples."""
        return self.slice(slice(0, n))

    def spread(self, n: int) -> "Batch":
        """``n`` samples spread over the data, always the same ones.

        Example:
            >>> Batch((torch.arange(8),)).spread(3).size
            3
        """
        if n >= self.size:
            return self
        which = torch.randperm(self.size, generator=torch.Generator().manual_seed(0))[:n]
        return self.slice(which.sort().values)

    def slice(self, which: slice | Tensor) -> "Batch":
        """Chosen samples, by slice or by a tensor of indices."""
        size = self.size
        named = {k: chosen(v, which, size) for k, v in self.named.items()}
        inputs = tuple(chosen(value, which, size) for value in self.inputs)
        return Batch(inputs, named, chosen(self.target, which, size))

    def with_inputs(self, *tensors: Tensor) -> "Batch":
        """The same batch with the input tensors replaced, in the order of :meth:`tensors`."""
        fresh = iter(tensors)
        inputs, named = mapped(lambda _: next(fresh), (self.inputs, self.named))
        return Batch(inputs, named, self.target)

    def to(self, device: torch.device) -> "Batch":
        """The same batch with all its tensors on ``device``; itself if they are there."""
        held = (self.inputs, self.named, self.target)
        if all(t.device == device for t in tensors_in(held)):
            return self
        return Batch(*mapped(lambda t: t.to(device), held))

    def without(self, name: str) -> "Batch":
        """The same batch without an input by name."""
        return Batch(self.inputs, {k: v for k, v in self.named.items() if k != name}, self.target)

    def answers(self, raw: Any) -> Any:
        """The part of a raw output that has a target; here all of it."""
        return raw

    def describe(self) -> dict[str, str]:
        """Shapes and types for the head of a report."""
        named = {f"input {i}": v for i, v in enumerate(self.inputs)} | self.named
        named["target"] = self.target
        found = (entry for name, value in named.items() for entry in entries(name, value))
        return {name: shape_of(tensor) for name, tensor in itertools.islice(found, DESCRIBED)}


def shape_of(value: Tensor) -> str:
    """Shape and type in words.

    Example:
        >>> import torch
        >>> shape_of(torch.zeros(2, 3))
        '2×3 float32'
    """
    if value.dim() == 0:
        return f"one {str(value.dtype).removeprefix('torch.')}"
    return f"{'×'.join(map(str, value.shape))} {str(value.dtype).removeprefix('torch.')}"
