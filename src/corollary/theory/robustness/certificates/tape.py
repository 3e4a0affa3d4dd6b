"""A module as a tape: the operations that one sample passes through, in their order.

The tape is for one sample: an operation that mixes the samples of a batch is refused, so the tape
serves batches of any size.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from corollary.errors import NotApplicableError

SAMPLES = 2  # of the batch that is traced
# Their sizes begin with that of the batch; elsewhere it does not occur.
SIZED = ("view", "reshape", "expand", "_unsafe_view", "broadcast_to", "unflatten")


@dataclass(frozen=True)
class Ref:
    """The result of an earlier call, as an argument."""

    index: int


@dataclass(frozen=True)
class Call:
    """One operation on values that depend on the input. Value 0 of the tape is the input."""

    op: str  # name in ATen, without its overload
    path: str  # of the module that called it
    target: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    shape: tuple[int, ...]  # of one sample's result
    picked: int | None = None  # which of several results
    inputs: tuple[int, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        found: list[int] = []
        each_ref((self.args, self.kwargs), found)
        object.__setattr__(self, "inputs", tuple(found))

    def __call__(self, *values: Tensor) -> Tensor:
        """The result for batches of any size, one value for each of ``inputs``."""
        held, n = iter(values), len(values[0])

        def fill(part: Any) -> Any:
            return next(held) if isinstance(part, Ref) else part

        args = [tree_map(fill, a, is_leaf=is_ref) for a in self.args]
        kwargs = {k: tree_map(fill, v, is_leaf=is_ref) for k, v in self.kwargs.items()}
        if self.op in SIZED and args[1][0] == SAMPLES:
            args[1] = [n, *args[1][1:]]
        if self.op in ("cat", "stack"):
            args[0] = [p if len(p) == n else p.expand(n, *p.shape[1:]) for p in args[0]]
        result = self.target(*args, **kwargs)
        value: Tensor = result if self.picked is None else result[self.picked]
        return value

    def option(self, place: int, name: str, default: Any = None) -> Any:
        """An argument by place or by name."""
        return self.args[place] if len(self.args) > place else self.kwargs.get(name, default)

    def check_samples(self, shapes: list[tuple[int, ...]], like: Tensor) -> None:
        """Two samples together give what they give apart; raises if they do not."""
        rng = torch.Generator(like.device).manual_seed(0)
        options: Any = {"generator": rng, "device": like.device, "dtype": like.dtype}
        drawn = [torch.rand(SAMPLES, *shape, **options) for shape in shapes]
        together = self(*drawn)
        apart = torch.cat([self(*[d[i : i + 1] for d in drawn]) for i in range(SAMPLES)])
        if together.shape != apart.shape or not torch.allclose(together, apart, 1e-3, 1e-4):
            raise self.refusal("mixes the samples of a batch")

    def refusal(self, why: str = "is not known") -> NotApplicableError:
        """The error that names this operation and where it is."""
        where = f"in '{self.path}'" if self.path else "of the module itself"
        return NotApplicableError(
            f"no bounds are available for the operation '{self.op}' {where}, because it "
            f"{why}; certify a part of the network without this operation, or replace it"
        )


@dataclass(frozen=True)
class Tape:
    """The calls in their order; value i + 1 is the result of call i."""

    calls: tuple[Call, ...]
    shape: tuple[int, ...]  # of one input
    output: int  # which value is the output

    def value_shape(self, index: int) -> tuple[int, ...]:
        """Shape of one sample's value."""
        return self.shape if index == 0 else self.calls[index - 1].shape


def each_ref(part: Any, found: list[int]) -> None:
    """Collect references in the order in which tree_map meets them."""
    tree_map(lambda p: found.append(p.index) if isinstance(p, Ref) else None, part, is_leaf=is_ref)


def is_ref(part: Any) -> bool:
    """Whether a part of the arguments is the result of an earlier call."""
    return isinstance(part, Ref)
