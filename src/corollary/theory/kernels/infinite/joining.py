"""How branches of a traced module meet: sums, products, concatenations of channels."""

import operator
from collections.abc import Mapping, Sequence

import torch
from torch import fx, nn

from corollary.theory.kernels.infinite.joins import AddUp, Join, MultiplyUp, SideBySide
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
    known = isinstance(parts, list | tuple) and all(part in values for part in parts)
    if not known or axis not in (1, -1):
        return f"'{node.name}' (torch.cat along axis {axis})", ()
    sources = tuple(values[part] for part in parts)
    counts = [widths[source] for source in sources]
    if any(count is None for count in counts):
        return f"'{node.name}' (torch.cat of branches with widths that cannot be read)", ()
    total = sum(counts)
    flat = (axis == 1) != convolves  # right only where no axes of positions are left
    return SideBySide(tuple(count / total for count in counts), flat), sources


def input_width(inputs: fx.Node, module: nn.Module) -> int | None:
    """Channels of the data, from a layer that reads them."""
    for user in inputs.users:
        found = module.get_submodule(str(user.target)) if user.op == "call_module" else None
        for name in ("in_features", "in_channels"):
            if hasattr(found, name):
                return getattr(found, name)
    return None


def width_after(
    layer: Layer | Join,
    sources: tuple[int, ...],
    widths: Sequence[int | None],
    found: nn.Module | None,
    steps: Sequence[Step],
) -> int | None:
    """Channels of a value; None where positions become channels."""
    for name in ("out_features", "out_channels"):
        if hasattr(found, name):
            return getattr(found, name)
    if isinstance(layer, SideBySide):
        counts = [widths[source] for source in sources]
        return None if any(count is None for count in counts) else sum(counts)
    at = sources[0]
    if isinstance(layer, Flatten) and not (at and isinstance(steps[at - 1].layer, GlobalAvgPool)):
        return None
    return widths[at]
