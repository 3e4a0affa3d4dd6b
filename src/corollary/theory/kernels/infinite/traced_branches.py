"""How branches of a traced module meet: sums, products, concatenations of channels."""

import operator
from collections.abc import Mapping, Sequence

import torch
from torch import fx, nn

from corollary.theory.kernels.infinite.branch_layers import AddUp, Join, MultiplyUp, SideBySide
from corollary.theory.kernels.infinite.layers import Flatten, GlobalAvgPool, Layer
from corollary.theory.kernels.infinite.steps import Step

ADDITIONS = {operator.add, operator.iadd, torch.add, "add", "add_"}
PRODUCTS = {operator.mul, operator.imul, torch.mul, torch.multiply, "mul", "mul_"}
CONCATENATIONS = {torch.cat, torch.concat, torch.concatenate}


def read_join(
    node: fx.Node, values: Mapping[fx.Node, int], widths: Sequence[int | None], convolves: bool
) -> tuple[Join | str, tuple[int, ...]] | None:
    """A join and the values it reads, a name for what is not known, or None for no join."""
    sources = tuple(values[v] for v in node.all_input_nodes if v in values)
    if node.op == "call_module":
        return None
    if node.target in CONCATENATIONS:
        return _concatenation(node, values, widths, convolves)
    if len(node.args) == 2 and len(sources) == 2 and not node.kwargs:  # alpha= is not read
        if node.target in ADDITIONS:
            return AddUp(), sources
        if node.target in PRODUCTS:
            return MultiplyUp(), sources
    return None


def _concatenation(
    node: fx.Node, values: Mapping[fx.Node, int], widths: Sequence[int | None], convolves: bool
) -> tuple[Join | str, tuple[int, ...]]:
    parts = node.args[0] if node.args else node.kwargs.get("tensors", ())
    axis = node.args[1] if len(node.args) > 1 else node.kwargs.get("dim", 0)
    nodes = _nodes(parts)
    if not nodes or not all(part in values for part in nodes) or axis not in (1, -1):
        return f"'{node.name}' (torch.cat along axis {axis})", ()
    sources = tuple(values[part] for part in nodes)
    counts = _counts(sources, widths)
    if counts is None:
        return f"'{node.name}' (torch.cat of branches with widths that cannot be read)", ()
    total = sum(counts)
    flat = bool(axis == 1) != convolves  # right only where no axes of positions are left
    return SideBySide(tuple(count / total for count in counts), flat), sources


def _nodes(parts: object) -> list[fx.Node]:
    """The parts, if all of them are values of the graph."""
    if not isinstance(parts, list | tuple):
        return []
    nodes = [part for part in parts if isinstance(part, fx.Node)]
    return nodes if len(nodes) == len(parts) else []


def _counts(sources: tuple[int, ...], widths: Sequence[int | None]) -> list[int] | None:
    """Channels of all branches; None where those of one cannot be read."""
    counts = [count for source in sources if (count := widths[source]) is not None]
    return counts if len(counts) == len(sources) else None


def input_width(inputs: fx.Node, module: nn.Module) -> int | None:
    """Channels of the data, from a layer that reads them."""
    for user in inputs.users:
        found = module.get_submodule(str(user.target)) if user.op == "call_module" else None
        width = _first_of(found, "in_features", "in_channels")
        if width is not None:
            return width
    return None


def _first_of(module: nn.Module | None, *names: str) -> int | None:
    found = (getattr(module, name, None) for name in names)
    return next((value for value in found if isinstance(value, int)), None)


def width_after(
    layer: Layer | Join,
    sources: tuple[int, ...],
    widths: Sequence[int | None],
    found: nn.Module | None,
    steps: Sequence[Step],
) -> int | None:
    """Channels of a value; None where positions become channels."""
    width = _first_of(found, "out_features", "out_channels")
    if width is not None:
        return width
    if isinstance(layer, SideBySide):
        counts = _counts(sources, widths)
        return None if counts is None else sum(counts)
    at = sources[0]
    if isinstance(layer, Flatten) and not (at and isinstance(steps[at - 1].layer, GlobalAvgPool)):
        return None
    return widths[at]
