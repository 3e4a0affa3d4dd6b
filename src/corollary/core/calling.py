"""The form of a batch that a module's forward takes, read from its signature."""

import inspect
from dataclasses import replace
from typing import Any

from torch import Tensor, nn

from corollary.core.batch import Batch
from corollary.core.graphs import BY_PLACE, GraphBatch, graph_batch
from corollary.errors import InputError


def suited(batch: Batch, model: nn.Module, *, own_loss: bool = True) -> Batch:
    """The same samples in the form that forward takes.

    Named inputs that forward does not know are dropped if forward needs none of them. A list or a
    dict is passed whole to a forward with one argument. ``labels`` are passed if forward takes
    them.

    Args:
        batch: A batch of the data.
        model: The module.
        own_loss: Whether the module's own loss is needed, so that it also gets the targets.

    Raises:
        InputError: if forward takes fewer inputs than a batch has.

    Example:
        >>> batch = suited(Batch((), {"image": [1.0]}), nn.Linear(1, 1))
        >>> batch.inputs, batch.named
        (([1.0],), {})
    """
    arguments = _arguments(model)
    if arguments is None:
        return _spread(batch)
    if isinstance(batch, GraphBatch):
        return _graphs(batch, arguments)
    batch = _by_name(batch, arguments) if batch.named else _by_place(batch, arguments)
    if own_loss and "labels" in arguments and isinstance(batch.target, Tensor):
        return replace(batch, named=batch.named | {"labels": batch.target})
    return batch


def _arguments(model: nn.Module) -> dict[str, inspect.Parameter] | None:
    """Forward's arguments by name; None if they are not known."""
    try:
        return dict(inspect.signature(model.forward).parameters)
    except (TypeError, ValueError):
        return None


def _by_name(batch: Batch, arguments: dict[str, inspect.Parameter]) -> Batch:
    if any(p.kind is p.VAR_KEYWORD for p in arguments.values()):
        return batch
    named = {k: v for k, v in batch.named.items() if k != "labels" or k in arguments}
    known = {k: v for k, v in named.items() if k in arguments}
    needed = [p.name for p in _places(arguments) if p.default is p.empty]
    if batch.inputs or set(needed) <= set(known):
        return replace(batch, named=known)
    if not known and len(named) == 1:
        return Batch(tuple(named.values()), {}, batch.target)
    if not known and len(needed) == 1:
        return Batch((named,), {}, batch.target)
    return replace(batch, named=named)


def _by_place(batch: Batch, arguments: dict[str, inspect.Parameter]) -> Batch:
    places = len(_places(arguments))
    if any(p.kind is p.VAR_POSITIONAL for p in arguments.values()):
        return _spread(batch)
    if len(batch.inputs) == 1:
        inside = batch.inputs[0]
        fits = isinstance(inside, list | tuple) and 1 < len(inside) <= places
        return _spread(batch) if fits or _one_tensor(inside) else batch
    if places >= len(batch.inputs):
        return batch
    inputs, rest = batch.inputs[:places], batch.inputs[places:]
    return Batch(inputs, {}, (*rest, batch.target))


def _spread(batch: Batch) -> Batch:
    """Inputs in a list, each in its position."""
    if len(batch.inputs) == 1 and isinstance(batch.inputs[0], list | tuple):
        return replace(batch, inputs=tuple(batch.inputs[0]))
    return batch


def _one_tensor(inside: Any) -> bool:
    return isinstance(inside, list | tuple) and len(inside) == 1 and isinstance(inside[0], Tensor)


def _graphs(batch: GraphBatch, arguments: dict[str, inspect.Parameter]) -> GraphBatch:
    """The graph itself for a forward with one argument, otherwise its tensors."""
    places = _places(arguments)
    needed = [p.name for p in places if p.default is p.empty]
    if len(needed) == 1 and needed[0] not in BY_PLACE:
        return batch
    has = {*BY_PLACE, *batch.keys()}
    if set(needed) <= has:
        asked = [p.name for p in places if p.name in needed or p.name in batch.keys()]
        return graph_batch(batch.graphs, tuple(asked), mask=batch.mask)
    if len(needed) <= len(BY_PLACE):
        takes = BY_PLACE[: len(needed)]
        return graph_batch(batch.graphs, takes, by_place=True, mask=batch.mask)
    raise InputError(
        f"forward takes {', '.join(needed)}, but the graphs have {', '.join(batch.keys())}; "
        "let forward take the graph, or arguments with these names"
    )


def _places(arguments: dict[str, inspect.Parameter]) -> list[inspect.Parameter]:
    return [p for p in arguments.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
