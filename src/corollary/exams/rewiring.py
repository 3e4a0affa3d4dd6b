"""Forward passes in which some operations are replaced, to see what changes.

A function mode intercepts calls of torch functions, so that a functional dropout or activation is
replaced as easily as a module. Operations inside scripted or fused functions are not reached.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from corollary.theory.modules.trace import Call, Trace, operation

Replacement = Callable[[str, Any, Any, dict[str, Any]], Any]  # None: as it is


class Rewired(TorchFunctionMode):
    """Calls a replacement first; if that returns None, the operation itself.

    Example:
        >>> with Rewired(lambda op, func, args, kwargs: args[0] if op == "relu" else None):
        ...     torch.relu(torch.tensor([-1.0, 2.0])).tolist()
        [-1.0, 2.0]
    """

    def __init__(self, replacement: Replacement) -> None:
        super().__init__()
        self.replacement = replacement

    def __torch_function__(  # the signature is torch's
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        found = self.replacement(operation(func, kwargs), func, args, kwargs)
        return func(*args, **kwargs) if found is None else found


@contextmanager
def hooked(module: nn.Module, hook: Any) -> Iterator[None]:
    """A forward hook for as long as the block lasts."""
    handle = module.register_forward_hook(hook)
    try:
        yield
    finally:
        handle.remove()


@contextmanager
def without_dropout(model: nn.Module) -> Iterator[None]:
    """Every kind of dropout passes on its input unchanged; settings of modules are restored."""
    held = [
        (m, m.dropout)
        for m in model.modules()
        if isinstance(m, nn.RNNBase | nn.MultiheadAttention) and m.dropout
    ]

    def quiet(op: str, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        if "dropout" in op:
            return args[0] if args else kwargs["input"]
        if kwargs.get("dropout_p"):
            return func(*args, **kwargs | {"dropout_p": 0.0})
        return None

    for module, _ in held:
        module.dropout = 0.0
    try:
        with Rewired(quiet):
            yield
    finally:
        for module, p in held:
            module.dropout = p


@contextmanager
def with_replaced(ops: tuple[str, ...], by: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """Operations of the given names apply another function to their first argument."""

    def other(op: str, _func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        if op not in ops:
            return None
        return by(args[0] if args else kwargs["input"])

    with Rewired(other):
        yield


@contextmanager
def without_call(model: nn.Module, trace: Trace, call: Call) -> Iterator[None]:
    """One operation of a pass, given by name and count, passes on its input unchanged."""
    same = [c for c in trace.calls if c.op == call.op]
    number, seen = next(i for i, c in enumerate(same) if c is call), [0]

    def begin(*_: Any) -> None:
        seen[0] = 0

    def skip(op: str, _func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        if op != call.op:
            return None
        seen[0] += 1
        return (args[0] if args else kwargs["input"]) if seen[0] == number + 1 else None

    handle = model.register_forward_pre_hook(begin)
    try:
        with Rewired(skip):
            yield
    finally:
        handle.remove()


@contextmanager
def with_activations(count: int, model: nn.Module) -> Iterator[None]:
    """A rectifier after every linear operation of a pass, except the last one."""
    seen = [0]

    def begin(*_: Any) -> None:
        seen[0] = 0

    def bend(op: str, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        if op not in LINEAR:
            return None
        seen[0] += 1
        out = func(*args, **kwargs)
        return F.relu(out) if seen[0] < count else out

    handle = model.register_forward_pre_hook(begin)
    try:
        with Rewired(bend):
            yield
    finally:
        handle.remove()


LINEAR = ("linear", "conv1d", "conv2d", "conv3d", "addmm")


def permutation_of(before: torch.Size, after: torch.Size) -> tuple[int, ...] | None:
    """The permutation of axes that a reshape was meant to do; None for other reshapes.

    The sizes are the same in another order, so axes were meant to be swapped, but a view does not
    move any numbers.

    Example:
        >>> permutation_of(torch.Size([4, 16, 24]), torch.Size([4, 24, 16]))
        (0, 2, 1)
        >>> permutation_of(torch.Size([4, 16, 24]), torch.Size([4, 384])) is None
        True
    """
    if len(before) != len(after) or before == after or sorted(before) != sorted(after):
        return None
    if sorted(n for n in before if n > 1) == [n for n in before if n > 1][:1]:
        return None  # one axis with numbers: nothing is mixed
    left = list(range(len(before)))
    order = []
    for n in after:
        place = next(i for i in left if before[i] == n)
        left.remove(place)
        order.append(place)
    moved = [before[i] for i in order if before[i] > 1]
    return tuple(order) if moved != [n for n in before if n > 1] else None


def heads_of(before: torch.Size, after: torch.Size) -> bool:
    """Whether a reshape (n, time, heads * size) -> (n, heads, time, size) mixes time and heads.

    Example:
        >>> heads_of(torch.Size([2, 12, 32]), torch.Size([2, 4, 12, 8]))
        True
        >>> heads_of(torch.Size([2, 12, 32]), torch.Size([2, 12, 4, 8]))
        False
    """
    if len(before) != 3 or len(after) != 4 or before[0] != after[0]:
        return False
    time, heads = before[1], after[1]
    split = heads * after[3] == before[2] and after[2] == time
    return split and 1 < heads != time > 1


def moved(x: Tensor, after: torch.Size) -> Tensor | None:
    """The transposed tensor that a reshape was meant to give, if it mixes axes."""
    order = permutation_of(x.shape, after)
    if order is not None:
        return x.permute(order)
    if heads_of(x.shape, after):
        return x.reshape(*x.shape[:2], after[1], after[3]).transpose(1, 2)
    if heads_of(torch.Size([*after]), x.shape):
        return x.transpose(1, 2).reshape(after)
    return None


@contextmanager
def with_moved_axes() -> Iterator[None]:
    """Reshapes that mix axes are replaced by transpositions."""

    def move(op: str, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        if op not in ("view", "reshape") or not args or not isinstance(args[0], Tensor):
            return None
        out = func(*args, **kwargs)
        return moved(args[0], out.shape)

    with Rewired(move):
        yield
