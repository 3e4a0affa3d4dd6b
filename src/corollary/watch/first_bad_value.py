"""The first operation of a pass whose result is NaN or infinite, with its layer.

Operations are read as they are executed, below autograd, so functions are covered as well as
layers.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

# Results that may hold anything until they are written.
UNWRITTEN = ("aten::empty", "aten::new_empty", "aten::_to_copy", "aten::detach", "aten::alias")


@dataclass(frozen=True)
class BadValue:
    """The place where a pass first gave NaN or infinity."""

    operation: str  # as torch calls it
    layer: str  # path of the module that was computing; empty for the model itself
    inputs: tuple[str, ...]  # range of each tensor it was given
    kind: str  # "nan" or "inf"

    def __str__(self) -> str:
        place = f" in the layer '{self.layer}'" if self.layer else ""
        given = f" from inputs with values {' and '.join(self.inputs)}" if self.inputs else ""
        return f"{self.operation}{place} gave {self.kind}{given}"


class _Search(TorchDispatchMode):
    def __init__(self, stack: list[str]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.stack = stack
        self.found: BadValue | None = None
        self.operations = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        self.operations += 1
        name = func.name() if hasattr(func, "name") else str(func)
        if self.found is None and not name.startswith(UNWRITTEN):
            bad = next((t for t in _floats(out) if not bool(torch.isfinite(t).all())), None)
            given = list(_floats((args, kwargs or {})))
            if bad is not None and all(bool(torch.isfinite(t).all()) for t in given):
                self.found = BadValue(
                    name.removeprefix("aten::").split(".")[0],
                    self.stack[-1] if self.stack else "",
                    tuple(_range(t) for t in given[:3]),
                    "nan" if bool(torch.isnan(bad).any()) else "inf",
                )
        return out


def first_bad_value(model: nn.Module, forward: Callable[[], Any]) -> BadValue | None:
    """Run ``forward`` and find the first operation that made finite inputs NaN or infinite.

    Example:
        >>> class Log(nn.Module):
        ...     def forward(self, x):
        ...         return torch.log(x * 2)
        >>> print(first_bad_value(Log(), lambda: Log()(torch.tensor([0.0, 1.0]))))
        log gave inf from inputs with values 0 to 2
    """
    with _layers_told(model) as stack:
        search = _Search(stack)
        with search:
            forward()
        return search.found


@contextmanager
def _layers_told(model: nn.Module) -> Iterator[list[str]]:
    """The path of modules that are computing, innermost last."""
    stack: list[str] = []
    handles = []
    for name, module in model.named_modules():
        if name:
            handles.append(module.register_forward_pre_hook(_pusher(stack, name)))
            handles.append(module.register_forward_hook(lambda *_: _pop(stack), always_call=True))
    try:
        yield stack
    finally:
        for handle in handles:
            handle.remove()


def _pusher(stack: list[str], name: str) -> Callable[..., None]:
    return lambda *_: stack.append(name)


def _pop(stack: list[str]) -> None:
    if stack:
        stack.pop()


def _floats(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        if value.is_floating_point() and value.numel():
            yield value.detach()
    elif isinstance(value, dict):
        for part in value.values():
            yield from _floats(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _floats(part)


def _range(t: Tensor) -> str:
    low, high = float(t.min()), float(t.max())
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
