r"""The infinitely wide version of an existing ``nn.Module``, read from its graph.

The module is traced with ``torch.fx``; each layer it knows becomes a layer of the description.
Standard deviations are those of the weights at hand, :math:`\sigma_w^2 = \text{fan-in}\cdot
\mathrm{mean}(W^2)` and :math:`\sigma_b^2 = \mathrm{mean}(b^2)`, unless they are given. What has no
known limit is named by its path, all of it at once.
"""

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import fx, nn

from corollary.errors import InputError, InputTypeError
from corollary.theory.kernels.infinite import activations as act
from corollary.theory.kernels.infinite.branch_layers import Join
from corollary.theory.kernels.infinite.dropout import Dropout
from corollary.theory.kernels.infinite.layers import (
    AvgPool,
    Flatten,
    GlobalAvgPool,
    Layer,
    LayerNorm,
    Number,
    Parametrization,
    Scale,
)
from corollary.theory.kernels.infinite.network import Network
from corollary.theory.kernels.infinite.padding import MODULES, read_pad_call
from corollary.theory.kernels.infinite.reading import (
    read_conv,
    read_dense,
    read_interpolation,
    read_module,
    read_transpose,
)
from corollary.theory.kernels.infinite.series import Series
from corollary.theory.kernels.infinite.steps import Step
from corollary.theory.kernels.infinite.traced_branches import input_width, read_join, width_after

F = nn.functional
IMAGE_LAYERS = (nn.Conv1d, nn.Conv2d, nn.ConvTranspose1d, nn.ConvTranspose2d, *MODULES)
FLATTENINGS = {torch.flatten, "flatten", "view", "reshape"}
PASSES = {"contiguous", "clone", "to", "float", "double"}
_FUNCTIONS: tuple[tuple[tuple[Any, ...], Callable[[], Layer]], ...] = (
    ((torch.relu, F.relu, "relu", "relu_"), act.Relu),
    ((torch.abs, "abs"), act.Abs),
    ((torch.erf, "erf"), act.Erf),
    ((torch.sin, "sin"), act.Sin),
    ((torch.cos, "cos"), act.Cos),
    ((torch.tanh, F.tanh, "tanh"), partial(Series, torch.tanh)),
    ((torch.sigmoid, F.sigmoid, "sigmoid"), partial(Series, torch.sigmoid)),
    *(((f,), partial(Series, f)) for f in (F.silu, F.mish)),
)
ELEMENTWISE = {name: layer for names, layer in _FUNCTIONS for name in names}


def from_module(
    module: nn.Module,
    *,
    sigma_w: Number | None = None,
    sigma_b: Number | None = None,
    parametrization: Parametrization = "ntk",
    dropout: bool = False,
) -> Network:
    """Read a module's architecture.

    Inputs have channels first if the module convolves or pads, and last otherwise, as PyTorch
    has it.
    Sums, products and concatenations (``torch.cat`` along channels) of branches are read, and in
    the standard parametrisation the tangent kernel uses the widths of the module.

    Args:
        module: Any module that ``torch.fx`` can trace, with one input and one output.
        sigma_w: Standard deviation of weights times the root of the fan-in; from the weights at
            hand by default.
        sigma_b: Standard deviation of biases; from the biases at hand by default.
        parametrization: ``ntk``, or ``standard`` for the kernel of plain gradient steps.
        dropout: Whether dropout acts, as in training; without it, as in evaluation, it does not.

    Example:
        >>> net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
        >>> k = from_module(net, sigma_w=2**0.5, sigma_b=0.0).kernel(torch.eye(3))
        >>> round(k.nngp[0, 0].item(), 6)  # 2/3: both layers keep the second moment |x|²/3 times 2
        0.666667
    """
    if not isinstance(module, nn.Module):
        raise InputTypeError(f"expected an nn.Module, got {type(module).__name__}")
    if fx.Tracer().is_leaf_module(module, ""):
        module = nn.Sequential(module)  # a layer alone: traced as a layer, not as its functions
    try:
        graph = fx.symbolic_trace(module).graph
    except Exception as error:  # noqa: BLE001 - fx raises many kinds, all for the same reason
        raise InputError(
            f"{type(module).__name__} cannot be traced ({error}); its control flow depends on "
            "data. Describe it with network(...), or use sampled_kernels"
        ) from None
    reader = _Reader(module, sigma_w, sigma_b, parametrization, dropout)
    return reader.read(graph)


class _Reader:
    """Walks a graph and collects steps, and the names of what it cannot read."""

    def __init__(
        self,
        module: nn.Module,
        sigma_w: Number | None,
        sigma_b: Number | None,
        parametrization: Parametrization,
        dropout: bool,
    ) -> None:
        self.dropout = dropout
        self.module, self.given = module, (sigma_w, sigma_b, parametrization)
        self.steps: list[Step] = []
        self.unknown: list[str] = []
        self.values: dict[fx.Node, int] = {}
        self.widths: list[int | None] = []  # channels of each value
        self.convolves = any(isinstance(m, IMAGE_LAYERS) for m in module.modules())

    def read(self, graph: fx.Graph) -> Network:
        inputs = [node for node in graph.nodes if node.op == "placeholder"]
        if len(inputs) != 1:
            raise InputError(
                f"from_module needs a module of one input, but it has {len(inputs)}; describe it "
                "with network(...)"
            )
        self.values[inputs[0]] = 0
        self.widths.append(input_width(inputs[0], self.module))
        for node in graph.nodes:
            if node.op == "output":
                end = node.args[0]
            elif node.op != "placeholder" and self._reads(node):
                self._node(node)
        if self.unknown:
            raise InputError(
                "there is no known limit for " + ", ".join(self.unknown) + "; replace these "
                "layers, or use sampled_kernels for a Monte-Carlo estimate with error bars"
            )
        if not isinstance(end, fx.Node) or end not in self.values:
            raise InputError("from_module needs a module that returns one tensor")
        if self.values[end] != len(self.steps):
            raise InputError("the output of the module must be its last layer")
        return Network(tuple(self.steps), "first" if self.convolves else "last")

    def _reads(self, node: fx.Node) -> bool:
        """Whether a tensor that depends on the input goes in; sizes and constants do not matter."""
        return any(value in self.values for value in node.all_input_nodes)

    def _node(self, node: fx.Node) -> None:
        sources = [self.values[v] for v in node.all_input_nodes if v in self.values]
        kind = node.target if node.op != "call_module" else None
        if node.op == "call_method" and kind == "size" or kind is getattr:
            return  # a size, used by a reshape
        meeting = read_join(node, self.values, self.widths, self.convolves)
        if meeting is not None and isinstance(meeting[0], Join):
            self._add(node, meeting[0], meeting[1])
            return
        if kind is not None and kind in PASSES:
            self.values[node] = sources[0]
            return
        layer = self._layer(node) if meeting is None else meeting[0]
        if isinstance(layer, str):
            self.unknown.append(layer)
            self.values[node] = sources[0]
        elif layer is None:
            self.values[node] = sources[0]
        else:
            self._add(node, layer, (sources[0],))

    def _add(self, node: fx.Node, layer: Layer | Join, sources: tuple[int, ...]) -> None:
        name = node.target if node.op == "call_module" else node.name
        found = self.module.get_submodule(str(name)) if node.op == "call_module" else None
        self.widths.append(width_after(layer, sources, self.widths, found, self.steps))
        self.steps.append(Step(layer, sources, str(name)))
        self.values[node] = len(self.steps)

    def _layer(self, node: fx.Node) -> Layer | str | None:
        """A layer, None for nothing to do, or the name of what is not known."""
        if node.op == "call_module":
            found = self.module.get_submodule(str(node.target))
            if isinstance(found, nn.Linear):
                return read_dense(found, *self.given)
            if isinstance(found, nn.Conv1d | nn.Conv2d) and found.groups == 1:
                return read_conv(found, *self.given)
            if isinstance(found, nn.ConvTranspose1d | nn.ConvTranspose2d):
                turned = read_transpose(found, *self.given)
                return turned or f"'{node.target}' ({type(found).__name__} of this kind)"
            if self.dropout and isinstance(found, nn.Dropout):
                return Dropout(found.p)
            layer = read_module(found, self.dropout)
            if isinstance(layer, LayerNorm) and self.convolves:
                layer = "unknown"  # with channels first it would divide along the last position
            return f"'{node.target}' ({type(found).__name__})" if layer == "unknown" else layer
        if node.target is F.dropout:
            rate = _argument(node, 1, "p", 0.5)
            return Dropout(rate) if self.dropout else None
        return _function(node, self.convolves)


def _function(node: fx.Node, convolves: bool) -> Layer | str | None:
    """A layer for a function or method call."""
    kind = node.target
    if kind in ELEMENTWISE:
        return ELEMENTWISE[kind]()
    if kind is F.elu:
        return Series(partial(F.elu, alpha=_argument(node, 1, "alpha", 1.0)))
    if kind is F.softplus:
        beta, threshold = _argument(node, 1, "beta", 1.0), _argument(node, 2, "threshold", 20.0)
        return Series(partial(F.softplus, beta=beta, threshold=threshold))
    if kind is F.gelu:
        return act.Gelu() if node.kwargs.get("approximate", "none") == "none" else Series(F.gelu)
    if kind is F.leaky_relu:
        return act.LeakyRelu(_argument(node, 1, "negative_slope", 0.01))
    if kind in FLATTENINGS and _flattens(node):
        return Flatten()
    other = _argument(node, 1, "other", None)
    if kind in (operator.mul, torch.mul, "mul") and isinstance(other, int | float):
        return Scale(float(other))
    if kind in (operator.truediv, torch.div, "div") and isinstance(other, int | float):
        return Scale(1 / float(other))
    if kind in (torch.mean, "mean") and _pools(node, convolves):
        return GlobalAvgPool()
    if kind is F.adaptive_avg_pool2d and _argument(node, 1, "output_size", None) in (1, (1, 1)):
        return GlobalAvgPool()
    if kind is F.avg_pool2d and (pooled := _avg_pool(node)) is not None:
        return pooled
    if kind is F.interpolate:
        return read_interpolation(node)
    if kind is F.pad and convolves and (padded := read_pad_call(node)) != "unknown":
        return padded
    name = kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))
    return f"'{node.name}' (function {name})"


def _avg_pool(node: fx.Node) -> AvgPool | None:
    """A call of ``F.avg_pool2d``; None for what has no rule."""
    names = "kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"
    size, stride, padding, ceil, counted, divisor = (
        _argument(node, place, name, None) for place, name in enumerate(names, start=1)
    )
    if ceil or divisor is not None:
        return None
    kernel, step, border = (_pair(v) for v in (size, stride or size, padding or 0))
    return AvgPool(kernel, step, border, counted is not False)


def _pair(size: int | Sequence[int]) -> tuple[int, int]:
    first, second = (size, size) if isinstance(size, int) else size
    return first, second


def _argument(node: fx.Node, place: int, name: str, default: Any) -> Any:
    """An argument of a call, by its place or by its name."""
    return node.args[place] if len(node.args) > place else node.kwargs.get(name, default)


def _flattens(node: fx.Node) -> bool:
    """Whether all axes but the first become one: ``flatten(1)``, ``view(n, -1)``."""
    if node.target in ("view", "reshape"):
        sizes = node.args[1] if isinstance(node.args[1], tuple) else node.args[1:]
        return len(sizes) == 2 and bool(sizes[1] == -1)
    return bool(_argument(node, 1, "start_dim", 0) == 1)


def _pools(node: fx.Node, convolves: bool) -> bool:
    """Whether a mean is over positions and nothing else."""
    dim = _argument(node, 1, "dim", None)
    axes = {dim} if isinstance(dim, int) else set(dim or ())
    return axes in ([{2, 3}, {-1, -2}, {2}, {-1}] if convolves else [{1}, {-2}])
