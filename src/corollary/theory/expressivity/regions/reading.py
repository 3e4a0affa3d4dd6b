"""From a traced module to steps: which nodes are affine, which bend where, which are refused."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, fx, nn

from corollary.errors import NotApplicableError
from corollary.theory.expressivity.regions import breakpoints

Values = dict[str, Any]  # node name -> value at the points


@dataclass(frozen=True)
class Stop:
    """A stop: ``columns`` gives numbers whose signs matter, ``code`` the pattern they belong to."""

    path: str  # of the layer that bends
    columns: Callable[[Values], Tensor]
    code: Callable[[Values], Tensor] | None  # once per layer: a tournament has several stops


def stops_before(node: fx.Node, modules: dict[str, nn.Module], depends: set[str]) -> Iterator[Stop]:
    """The stops before ``node``; raises for what is not piecewise linear.

    Args:
        node: A node that depends on the input.
        modules: The submodules by path.
        depends: Names of all nodes that depend on the input.
    """
    inputs = _inputs(node, depends)
    if node.op == "output":
        return
    if node.op == "call_module":
        yield from _module_stops(str(node.target), modules[str(node.target)], inputs[0])
        return
    name = str(node.target if node.op == "call_method" else getattr(node.target, "__name__", "?"))
    name = name.strip("_")  # in place is the same function
    thresholds = breakpoints.function_thresholds(name, tuple(node.args[1:]), dict(node.kwargs))
    if thresholds is not None:
        yield _threshold_stop(node.name, inputs[0], thresholds)
    elif name in ("maximum", "minimum", "max", "min") and len(inputs) == 2:
        yield _pair_stop(node.name, *inputs)
    elif name in breakpoints.POOL_NAMES:
        yield from _pool_stops(node.name, inputs[0], _function_pool(name, node))
    elif name in breakpoints.PRODUCT_NAMES:
        if len(inputs) > 1 or (name in ("truediv", "div") and not _is_first(node, inputs[0])):
            raise refusal(node.name, f"'{name}' with two arguments that depend on the input")
    elif name not in breakpoints.AFFINE_NAMES:
        raise refusal(node.name, f"the function '{name}'")


def refusal(path: str, what: str) -> NotApplicableError:
    """The error for a layer whose bends are not known."""
    return NotApplicableError(
        f"linear regions need layers that are piecewise linear, but '{path}' is {what}; "
        "replace it (ReLU, LeakyReLU, Hardtanh, MaxPool, BatchNorm in eval mode and affine "
        "layers are known) or pass the part of the network before this layer"
    )


def _module_stops(path: str, module: nn.Module, before: str) -> Iterator[Stop]:
    thresholds = breakpoints.module_thresholds(module)
    if thresholds is not None:
        yield _threshold_stop(path, before, thresholds)
    elif isinstance(module, nn.MaxPool1d | nn.MaxPool2d):
        if module.ceil_mode or module.return_indices:
            raise refusal(path, "a pool with ceil_mode or return_indices")
        options = {
            "kernel": _entries(module.kernel_size, 1 if isinstance(module, nn.MaxPool1d) else 2),
            "stride": module.stride,
            "padding": module.padding,
            "dilation": module.dilation,
        }
        yield from _pool_stops(path, before, options)
    elif type(module) not in breakpoints.AFFINE_MODULES:
        raise refusal(path, f"a {type(module).__name__}")
    elif isinstance(module, nn.modules.batchnorm._BatchNorm) and module.running_mean is None:
        raise refusal(path, f"a layer of type {type(module).__name__} without running statistics")


def _threshold_stop(path: str, before: str, thresholds: tuple[float, ...]) -> Stop:
    columns = partial(_thresholds, before=before, thresholds=thresholds)
    return Stop(path, columns, columns)


def _thresholds(values: Values, before: str, thresholds: tuple[float, ...]) -> Tensor:
    return breakpoints.threshold_columns(values[before], thresholds)


def _pair_stop(path: str, first: str, second: str) -> Stop:
    columns = partial(_difference, first=first, second=second)
    return Stop(path, columns, columns)


def _difference(values: Values, first: str, second: str) -> Tensor:
    z: Tensor = values[first] - values[second]
    return z.reshape(len(z), -1)


def _pool_stops(path: str, before: str, options: dict[str, Any]) -> Iterator[Stop]:
    """One stop a round of the tournament; the pattern is the winner, known after the last."""
    rounds = torch.Size(options["kernel"]).numel()
    for j in range(1, rounds):
        code = partial(_winners, before=before, options=options) if j == rounds - 1 else None
        yield Stop(path, partial(_round, before=before, options=options, j=j), code)


def _round(values: Values, before: str, options: dict[str, Any], j: int) -> Tensor:
    z = values[before]
    return breakpoints.round_columns(z, breakpoints.pool_windows(tuple(z.shape[1:]), **options), j)


def _winners(values: Values, before: str, options: dict[str, Any]) -> Tensor:
    z = values[before]
    return breakpoints.winners(z, breakpoints.pool_windows(tuple(z.shape[1:]), **options))


def _function_pool(name: str, node: fx.Node) -> dict[str, Any]:
    names = ("kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices")
    given = dict(zip(names, node.args[1:], strict=False)) | dict(node.kwargs)
    if given.get("ceil_mode") or given.get("return_indices"):
        raise refusal(node.name, "a pool with ceil_mode or return_indices")
    kernel = _entries(given["kernel_size"], int(name[-2]))
    return {
        "kernel": kernel,
        "stride": given.get("stride") or kernel,
        "padding": given.get("padding", 0),
        "dilation": given.get("dilation", 1),
    }


def _entries(size: Any, axes: int) -> tuple[int, ...]:
    return (int(size),) * axes if isinstance(size, int) else tuple(int(s) for s in size)


def _inputs(node: fx.Node, depends: set[str]) -> list[str]:
    """Arguments that depend on the input, in order and as often as they occur."""
    names: list[str] = []
    fx.node.map_arg((node.args, node.kwargs), lambda parent: names.append(parent.name))
    return [name for name in names if name in depends]


def _is_first(node: fx.Node, name: str) -> bool:
    return isinstance(node.args[0], fx.Node) and node.args[0].name == name
