"""Nested state (dicts, lists, tuples, numbers, tensors) as one safetensors file, without pickle.

Tensors go into the file as they are; everything else becomes JSON in the file's header, where
``{"tensor": key}`` stands for a tensor. One file, so it can be replaced in one move.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from corollary.data.disk import write_bytes_atomically
from corollary.errors import InputError

_HEADER = "corollary"


def write_state(path: Path, state: Any) -> None:
    """Write ``state`` to ``path``, all at once."""
    from safetensors.torch import save

    tensors: dict[str, Tensor] = {}
    header = json.dumps(_packed(state, "state", tensors))
    try:
        write_bytes_atomically(path, save(tensors, metadata={_HEADER: header}))
    except OSError as error:
        raise _unwritable(path, error) from None


def check_writable(path: Path) -> None:
    """Raise now, rather than after hours of training, if ``path`` could not be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> InputError:
    reason = error.strerror or type(error).__name__
    return InputError(f"the checkpoint {path} cannot be written ({reason}); choose another path")


def read_state(path: Path) -> Any:
    """The inverse of :func:`write_state`; tensors come back on the CPU.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "state.safetensors"
        ...     write_state(path, {"betas": (0.9, 0.999), "state": {0: torch.tensor([1, 2])}})
        ...     read_state(path)
        {'betas': (0.9, 0.999), 'state': {0: tensor([1, 2])}}
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            header = (file.metadata() or {})[_HEADER]
            # Copies, for the file's memory is neither aligned nor ours to keep.
            tensors = {key: file.get_tensor(key).clone() for key in file.keys()}  # noqa: SIM118
        return _unpacked(json.loads(header), tensors)
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"the checkpoint {path} cannot be read ({reason})") from None
    except (SafetensorError, KeyError, ValueError, TypeError) as error:
        raise InputError(
            f"{path} is not a checkpoint of corollary, or it is damaged "
            f"({type(error).__name__}: {error})"
        ) from None


def _packed(value: Any, where: str, tensors: dict[str, Tensor]) -> Any:
    if isinstance(value, Tensor):
        return _packed_tensor(value.detach(), where, tensors)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):  # pairs, because keys of an optimizer's state are numbers
        return {"dict": [[k, _packed(v, f"{where}.{k}", tensors)] for k, v in value.items()]}
    if isinstance(value, tuple | list):
        parts = [_packed(v, f"{where}.{i}", tensors) for i, v in enumerate(value)]
        return {"tuple": parts} if isinstance(value, tuple) else parts
    raise InputError(f"a checkpoint cannot hold {where}, which has type {type(value).__name__}")


def _packed_tensor(tensor: Tensor, where: str, tensors: dict[str, Tensor]) -> dict[str, str]:
    if tensor.layout is not torch.strided or tensor.is_quantized:
        raise InputError(f"a checkpoint cannot hold {where}, a tensor of layout {tensor.layout}")
    kind = "tensor"
    if tensor.is_complex():
        kind, tensor = "complex", torch.view_as_real(tensor.resolve_conj())
    # A copy each, since weights may be tied and safetensors refuses shared memory.
    tensors[where] = tensor.resolve_neg().cpu().clone(memory_format=torch.contiguous_format)
    return {kind: where}


def _unpacked(value: Any, tensors: dict[str, Tensor]) -> Any:
    if isinstance(value, list):
        return [_unpacked(v, tensors) for v in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "dict":
        return {k: _unpacked(v, tensors) for k, v in content}
    if kind == "tuple":
        return tuple(_unpacked(v, tensors) for v in content)
    if kind == "complex":
        return torch.view_as_complex(tensors[content])
    return tensors[content]
