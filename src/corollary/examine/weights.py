"""Load weights from a file or folder into a module with the same names, without running code."""

import json
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from corollary.errors import InputError, one_line
from corollary.examine.modules import file_of_weights, must_exist

OF_TORCH = (b"PK", b"\x80\x02")  # how files of torch.save begin, new and old
STATES = ("state_dict", "model_state_dict", "model", "weights")  # where a checkpoint has weights
WRAPPERS = ("module.", "_orig_mod.")  # what DataParallel and torch.compile put before names
SHOWN = 3  # names in a sentence


def load_weights(model: nn.Module, path: Path) -> None:
    """Put the numbers of a ``.safetensors`` file, a ``torch.save`` file or a folder into ``model``.

    A folder is one that ``save_pretrained`` of transformers writes. A prefix that all names in the
    file share, or that all names in the module share, is added or removed.

    Raises:
        InputError: if there is no such file, it holds anything but weights, or they do not fit.
    """
    state = _renamed(_read(path), set(model.state_dict()))
    tied = _tied(model)
    try:
        missing, unexpected = model.load_state_dict(state, strict=False)
    except RuntimeError as error:  # other shapes
        said = one_line(str(error).split("\n", 1)[-1])
        raise InputError(
            f"the weights in {path} do not fit {type(model).__name__} ({said})"
        ) from None
    missing = [k for k in missing if not tied.get(k, set()) & set(state)]
    told = [_names("missing", missing), _names("not in the module", unexpected)]
    if missing or unexpected:
        said = "; ".join(filter(None, told))
        raise InputError(f"the weights in {path} do not fit {type(model).__name__}: {said}")


def _read(path: Path) -> dict[str, Tensor]:
    file = file_of_weights(path)
    if not file.name.endswith(".index.json"):
        return _read_file(file)
    try:
        places = set(json.loads(file.read_text(encoding="utf-8"))["weight_map"].values())
    except (ValueError, KeyError, AttributeError):
        raise InputError(f"expected {file} to map tensor names to files") from None
    parts = [_read_file(file.parent / Path(place).name) for place in sorted(places)]
    return {name: tensor for part in parts for name, tensor in part.items()}


def _read_file(path: Path) -> dict[str, Tensor]:
    must_exist(path)
    with path.open("rb") as file:
        if file.read(2) in OF_TORCH:
            return _read_torch(path)
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(path)
    except (SafetensorError, OSError, ValueError) as error:
        raise InputError(
            one_line(f"{path} cannot be read as weights ({str(error).rstrip('.')})")
        ) from None


def _read_torch(path: Path) -> dict[str, Tensor]:
    """The state dict of a file of ``torch.save``, which may be part of a checkpoint."""
    import torch

    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # of pickle, zip files, torch: each has its own for a damaged file
        said = str(error).split(". ")[0]
        raise InputError(
            one_line(f"{path} cannot be read with weights_only=True ({said})", 200)
            + "; write the file with torch.save(model.state_dict(), ...)"
        ) from None
    for key in STATES:
        if isinstance(content, dict) and isinstance(content.get(key), dict):
            content = content[key]
    if not isinstance(content, dict) or not any(isinstance(v, Tensor) for v in content.values()):
        raise InputError(
            f"expected a state dict in {path}, got type {type(content).__name__}; write the file "
            "with torch.save(model.state_dict(), ...)"
        )
    return {str(name): value for name, value in content.items()}


def _renamed(state: dict[str, Any], wanted: set[str]) -> dict[str, Any]:
    """The weights under the names of the module, if the names differ only by a prefix."""
    state = {_unwrapped(name): value for name, value in state.items()}
    if wanted & set(state):
        return state
    for prefix in sorted({name.split(".")[0] + "." for name in state if "." in name}):
        if {name.removeprefix(prefix) for name in state} & wanted:
            return {name.removeprefix(prefix): value for name, value in state.items()}
    for prefix in sorted({name.split(".")[0] + "." for name in wanted if "." in name}):
        if {prefix + name for name in state} & wanted:
            return {prefix + name: value for name, value in state.items()}
    return state


def _unwrapped(name: str) -> str:
    for prefix in WRAPPERS * 2:
        name = name.removeprefix(prefix)
    return name


def _tied(model: nn.Module) -> dict[str, set[str]]:
    """For each name, the other names of the same tensor; a file may contain only one of them."""
    names: dict[int, set[str]] = {}
    tensors = model.state_dict(keep_vars=True)
    for name, tensor in tensors.items():
        names.setdefault(id(tensor), set()).add(name)
    return {name: names[id(tensor)] for name, tensor in tensors.items()}


def _names(what: str, names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{what}: {', '.join(names[:SHOWN])}{more}" if names else ""
