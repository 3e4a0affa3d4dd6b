"""What a module is called with: one tensor, several by place, or several by name."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from corollary.errors import InputError, InputTypeError

Inputs = Tensor | tuple[Tensor, ...] | Mapping[str, Tensor]
Read = Callable[[Any], Tensor]


def count(x: Inputs) -> int:
    """The number of samples; an error where there are none or the tensors disagree."""
    lengths = {len(t) for t in tensors(x)}
    if len(lengths) != 1:
        raise InputError(f"all inputs need the same number of samples, but have {sorted(lengths)}")
    (n,) = lengths
    if n == 0:
        raise InputError("the tangent kernel needs at least one input, got none")
    return n


def tensors(x: Inputs) -> list[Tensor]:
    """The tensors of the inputs, each with samples along its first axis."""
    parts = [x] if isinstance(x, Tensor) else list(x.values() if isinstance(x, Mapping) else x)
    if not parts or not all(isinstance(t, Tensor) and t.dim() > 0 for t in parts):
        raise InputTypeError(
            "inputs must be a tensor, a tuple or a dict of tensors, with samples along the first "
            f"axis, got {type(x).__name__}"
        )
    return parts


def rows(x: Inputs, which: slice) -> Inputs:
    """Chosen samples."""
    if isinstance(x, Tensor):
        return x[which]
    if isinstance(x, Mapping):
        return {name: t[which] for name, t in x.items()}
    return tuple(t[which] for t in x)


def evaluate(
    model: Callable[..., Any], x: Inputs, read: Read | None, name: str = "model"
) -> Tensor:
    """The outputs as a matrix, a row for every sample."""
    if isinstance(x, Tensor):
        f = model(x)
    else:
        f = model(**x) if isinstance(x, Mapping) else model(*x)
    f = f if read is None else read(f)
    if not isinstance(f, Tensor):
        raise InputTypeError(
            f"the tangent kernel needs a tensor as output, but {name} returns a "
            f"{type(f).__name__}; pass read=, a function from the output to a tensor"
        )
    if f.dim() == 0 or len(f) != count(x):
        raise InputError(
            f"{name} returns shape {tuple(f.shape)} for {count(x)} inputs; the first axis of "
            "its output must be the inputs"
        )
    if not f.dtype.is_floating_point:
        raise InputTypeError(f"{name} returns {f.dtype}, which has no derivatives")
    return f if f.dim() == 2 else f.reshape(len(f), -1)


def chosen(outputs: int | list[int] | tuple[int, ...] | None, c: int) -> list[int]:
    """The outputs asked for, as a list of places."""
    places = list(range(c)) if outputs is None else outputs
    places = [places] if isinstance(places, int) else list(places)
    if not places or not all(-c <= o < c for o in places):
        raise InputError(f"outputs must lie in 0..{c - 1}, got {outputs}")
    return [o % c for o in places]


def check_alike(f: Tensor, alone: Tensor) -> None:
    """Outputs of the first sample must not depend on the others."""
    scale = 1e3 * torch.finfo(f.dtype).eps * max(1.0, float(alone.detach().abs().max()))
    if f.shape[1] != alone.shape[1] or float((f[0] - alone[0]).detach().abs().max()) > scale:
        raise InputError(
            "the output of a sample changes with the other samples of the batch (batch "
            "statistics, or attention across samples), so no kernel of two inputs exists; "
            "use running statistics, or pass samples in the first axis only"
        )
