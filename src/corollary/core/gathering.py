"""Samples of any data, in memory; loaders and random states are restored."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import PackedSequence
from torch.utils.data import DataLoader, Dataset

from corollary.core.batch import Batch
from corollary.core.graphs import GraphBatch, graph_batch, graphs_of, is_graph
from corollary.core.nested import joined, tensors_in
from corollary.errors import InputError, InputTypeError
from corollary.theory.modules.keeping import World

TARGET_KEYS = ("labels", "label", "target", "targets", "y")


def gather(data: Any, samples: int) -> Batch:
    """At most ``samples`` samples of ``data``, in memory.

    Random states that a loader changes are restored, so the user's next epoch is unchanged.

    Raises:
        InputError: if there are no samples, or their lengths differ.
        InputTypeError: if this is not data.
    """
    with given_back(data):
        batch = _gathered(data, samples)
    if not isinstance(batch, GraphBatch):
        _check_lengths(batch)
    if batch.size == 0:
        raise InputError("the data has no samples")
    return batch.first(samples)


def _gathered(data: Any, samples: int) -> Batch:
    if isinstance(data, Batch):
        return data
    if is_graph(data):
        return graph_batch(graphs_of(data))
    if isinstance(data, Tensor | Mapping) or _is_whole(data):
        return _batch(data)
    if isinstance(data, Dataset) and hasattr(data, "__len__"):
        if len(data) and is_graph(data[0]):
            return graph_batch([data[i] for i in range(min(samples, len(data)))])
        return _joined(DataLoader(data, batch_size=max(1, min(samples, len(data)))), samples)
    if isinstance(data, Iterable):
        return _joined(data, samples)
    raise InputTypeError(
        f"data must be (x, y), a dict of tensors, a Dataset or a DataLoader, got "
        f"{type(data).__name__}"
    )


@contextmanager
def given_back(data: Any) -> Iterator[None]:
    """Restore the random states, including those of the generators of a loader."""
    samplers = [getattr(data, "sampler", None), getattr(data, "batch_sampler", None)]
    samplers.append(getattr(samplers[1], "sampler", None))
    found = [getattr(holder, "generator", None) for holder in (data, *samplers)]
    states = [(g, g.get_state()) for g in found if isinstance(g, torch.Generator)]
    world = World()
    try:
        yield
    finally:
        world.restore()
        for generator, state in states:
            generator.set_state(state)


def _check_lengths(batch: Batch) -> None:
    lengths = {len(t) for t in batch.tensors() if t.dim() > 0}
    if isinstance(batch.target, Tensor) and batch.target.dim() > 0:
        lengths.add(len(batch.target))
    if len(lengths) > 1:
        raise InputError(
            f"inputs and targets must have the same number of samples, got "
            f"{', '.join(map(str, sorted(lengths)))}"
        )


def _is_whole(data: Any) -> bool:
    """Whether this is all samples, ``(x, y)`` or ``(x, (y1, y2))``, and not a list of batches."""
    if not isinstance(data, list | tuple) or len(data) < 2:
        return False
    if not all(isinstance(part, Tensor | Mapping | list | tuple) for part in data):
        return False
    if len(data) == 2 and isinstance(data[1], Tensor):
        return True
    bare = all(isinstance(part, Tensor) for part in data)
    if bare and isinstance(data, list):
        return False
    kinds = [[(t.dtype, t.shape[1:] if bare else t.dim()) for t in tensors_in(p)] for p in data]
    return all(kinds) and any(kind != kinds[0] for kind in kinds)


def _batch(data: Any) -> Batch:
    """One batch in the form of a loader."""
    if isinstance(data, Tensor):
        return Batch((data,))
    if isinstance(data, Mapping):
        named = dict(data)
        for key in TARGET_KEYS[1:]:  # `labels` stays: models of transformers take it themselves
            if isinstance(named.get(key), Tensor):
                return Batch((), named, named.pop(key))
        return Batch((), named, named.get("labels"))
    if isinstance(data, list | tuple) and data:
        *inputs, target = data if len(data) > 1 else (data[0], None)
        if target is None and isinstance(inputs[0], Mapping):
            return _batch(inputs[0])
        if any(isinstance(part, PackedSequence) for part in inputs):
            raise InputError(
                "a PackedSequence cannot be split into samples; pass ((x, lengths), y) with "
                "the padded tensor x, and pack it inside forward"
            )
        while isinstance(target, list | tuple) and len(target) == 1:
            target = target[0] if isinstance(target[0], Tensor) else None
        if len(inputs) == 1 and isinstance(inputs[0], Mapping):
            return Batch((), dict(inputs[0]), target)
        return Batch(tuple(inputs), {}, target)
    kind = type(data).__name__
    raise InputTypeError(f"a batch must be a tensor, a pair or a dict, got {kind}")


def _joined(batches: Iterable[Any], samples: int) -> Batch:
    parts: list[Batch] = []
    graphs: list[Any] = []
    for item in batches:
        if is_graph(item):
            graphs += graphs_of(item)
        else:
            parts.append(_batch(item))
        if len(graphs) + sum(part.size for part in parts) >= samples:
            break
    if graphs:
        return graph_batch(graphs)
    if not parts:
        raise InputError("the data has no samples")

    first, sizes = parts[0], [part.size for part in parts]
    shapes = zip(*([t.shape[1:] for t in part.tensors()] for part in parts), strict=True)
    if any(len(set(row)) > 1 for row in shapes):
        return first  # padded text: batches of other lengths cannot be joined, one stands for all
    inputs = tuple(joined([p.inputs[i] for p in parts], sizes) for i in range(len(first.inputs)))
    named = {k: joined([p.named[k] for p in parts], sizes) for k in first.named}
    return Batch(inputs, named, joined([p.target for p in parts], sizes))
