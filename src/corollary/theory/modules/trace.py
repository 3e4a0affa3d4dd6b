"""The operations that a forward pass executes, with the module that runs each.

Whether a rectifier is ``nn.ReLU()``, ``F.relu(x)``, ``x.relu()`` or ``x.clamp(min=0)`` makes no
difference to the network, so it should make none to what is said of it. Calls of torch functions
are seen by a function mode, and the module they belong to by hooks; what a scripted module does
inside is not seen, and such a module counts as one operation.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from torch.overrides import TorchFunctionMode

RECTIFIERS = ("relu", "relu6", "threshold", "clamp_min")  # zero below
SATURATING = ("tanh", "sigmoid", "hardtanh", "hardsigmoid", "erf")
SMOOTH = ("gelu", "silu", "mish", "elu", "selu", "softplus", "leaky_relu", "prelu", "rrelu", "celu")
ACTIVATIONS = (*RECTIFIERS, *SATURATING, *SMOOTH)
NORMALISATIONS = ("batch_norm", "layer_norm", "group_norm", "instance_norm", "rms_norm")
# Operations that hand on the numbers they are given: their name says nothing about the values.
RESHAPING = (
    *("view", "reshape", "flatten", "squeeze", "unsqueeze", "transpose", "permute", "contiguous"),
    *("to", "float", "double", "__getitem__", "select", "chunk", "clone"),
)


@dataclass(frozen=True)
class Call:
    """One operation."""

    op: str  # relu, softmax, linear, ...
    path: str  # of the innermost module that runs it; empty for the network itself
    name: str  # what the user knows it by: a module's path, or "relu after 'fc1'"
    module: nn.Module = field(repr=False)
    x: Tensor | None = field(repr=False)  # its first input
    y: Tensor = field(repr=False)  # its output
    settings: dict[str, Any] = field(repr=False, default_factory=dict)  # arguments that are plain


@dataclass(frozen=True)
class Trace:
    """All operations of a pass, in their order, and what the pass gave."""

    calls: tuple[Call, ...]
    output: Any

    def of(self, *ops: str) -> tuple[Call, ...]:
        """The calls of some operations."""
        return tuple(call for call in self.calls if call.op in ops)

    def last(self, y: Tensor) -> Call | None:
        """The operation that computed a tensor, past what only reshapes it."""
        for call in reversed(self.calls):
            if call.y is y and call.op in RESHAPING and call.x is not None:
                y = call.x
            elif call.y is y:
                return call
        return None


def executed(model: nn.Module, run: Callable[[], Any]) -> Trace:
    """Run a pass of ``model`` and note every operation; tensors stay alive with the trace.

    Example:
        >>> from torch.nn import functional as F
        >>> class Net(nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.fc = nn.Linear(2, 3)
        ...     def forward(self, x):
        ...         return F.relu(self.fc(x)).softmax(-1)
        >>> net, x = Net(), torch.ones(1, 2)
        >>> [call.name for call in executed(net, lambda: net(x)).calls]
        ['fc', "relu after 'fc'", "softmax after 'fc'"]
    """
    watch = _Watch(model)
    first = register_module_forward_pre_hook(watch.enter)
    last = register_module_forward_hook(watch.leave, always_call=True)
    try:
        with watch:
            output = run()
    finally:
        first.remove()
        last.remove()
    return Trace(tuple(watch.calls), output)


class _Watch(TorchFunctionMode):
    """Notes calls; the stack tells in which module."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.paths = {id(m): name for name, m in model.named_modules()}
        self.stack: list[nn.Module] = [model]
        self.calls: list[Call] = []
        self.origin: dict[int, str] = {}  # of a tensor: the layer it comes from

    def enter(self, module: nn.Module, _: Any) -> None:
        self.stack.append(module)

    def leave(self, module: nn.Module, _: Any, output: Any) -> None:
        self.stack.pop()
        y = _tensor(output)
        if (
            isinstance(module, torch.jit.ScriptModule)
            and y is not None
            and id(y) not in self.origin
        ):
            self._note(type(module).__name__, module, None, y, {})

    def __torch_function__(  # the signature is torch's
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        op = operation(func, kwargs)
        y = _tensor(out)
        if op and y is not None:
            x = _tensor([*args, *kwargs.values()])
            plain = {k: v for k, v in kwargs.items() if isinstance(v, bool | int | float)}
            if "dropout" in op:  # F.dropout(x, p, training), by place or by name
                plain = dict(zip(("p", "training"), args[1:3], strict=False)) | plain
                plain.setdefault("p", 0.5)
            self._note(op, self.stack[-1], x, y, plain)
        return out

    def _note(
        self, op: str, module: nn.Module, x: Tensor | None, y: Tensor, settings: dict[str, Any]
    ) -> None:
        path = self.paths.get(id(module), "")
        leaf = bool(path) and not [*module.children()]
        origin = self.origin.get(id(x), "") if x is not None else ""
        self.origin[id(y)] = path if leaf else origin
        known = any(call.path == path and call.op == op for call in self.calls) if leaf else True
        name = path if not known else f"{op} after '{origin}'" if origin else op
        self.calls.append(Call(op, path, name, module, x, y, settings))


def operation(func: Any, kwargs: Mapping[str, Any]) -> str:
    """The plain name of a torch function: ``relu`` for ``relu_``, ``add`` for ``__add__``."""
    name = getattr(func, "__name__", "")
    if name == "__get__":  # of .T and .mT
        return "transpose"
    if name in ("__set__", "size", "dim"):
        return ""
    name = {"__add__": "add", "__mul__": "mul", "__matmul__": "matmul"}.get(name, name)
    name = name.rstrip("_") if not name.startswith("__") else name
    if name in ("clamp", "maximum") and kwargs.get("min") == 0 and kwargs.get("max") is None:
        return "clamp_min"
    return name


def _tensor(value: Any) -> Tensor | None:
    """The first float tensor in a structure."""
    if isinstance(value, Tensor):
        return value if value.is_floating_point() or value.is_complex() else None
    if isinstance(value, list | tuple):
        return next((t for t in map(_tensor, value) if t is not None), None)
    return None


def units(call: Call) -> Tensor:
    """Outputs of an operation with one column for each unit: channels of images, else the last."""
    h = call.y.detach()
    if h.dim() >= 4:
        return h.transpose(0, 1).reshape(h.shape[1], -1).T
    return h.reshape(-1, h.shape[-1]) if h.dim() else h.reshape(1, 1)


def dead_share(call: Call) -> float | None:
    """The share of units that a rectifier sets to zero for every sample; None for others."""
    if call.op not in RECTIFIERS:
        return None
    return float((units(call) == 0).all(dim=0).cpu().double().mean())


def saturated_share(call: Call) -> float | None:
    """The share of outputs with a slope below 1 % of the steepest; None for others.

    By the derivative as a function of the value: 1 - y² of tanh, 4 y (1 - y) of a sigmoid.
    """
    h = call.y.detach()
    if call.op == "tanh":
        slope = 1 - h.square()
    elif call.op == "sigmoid":
        slope = 4 * h * (1 - h)
    else:
        return None
    return float((slope < 0.01).cpu().double().mean())
