"""Weights from a file, put into a module that has the same names; loading runs no code."""

from pathlib import Path

from torch import Tensor, nn

from corollary.errors import InputError, one_line
from corollary.examine.modules import must_exist

OF_TORCH = (b"PK", b"\x80\x02")  # how files of torch.save begin, new and old
STATES = ("state_dict", "model_state_dict", "model", "weights")  # where a checkpoint has weights
WRAPPERS = ("module.", "_orig_mod.")  # what DataParallel and torch.compile put before names


def load_weights(model: nn.Module, path: Path) -> None:
    """Put the numbers of a ``.safetensors`` or a plain ``torch.save`` file into ``model``.

    Raises:
        InputError: if there is no such file, it holds anything but weights, or they do not fit.
    """
    must_exist(path)
    with path.open("rb") as file:
        of_torch = file.read(2) in OF_TORCH
    if of_torch:
        state = _read_torch(path)
    from safetensors import SafetensorError
    from safetensors.torch import load_model

    try:
        model.load_state_dict(state) if of_torch else load_model(model, str(path))
    except (SafetensorError, RuntimeError, OSError) as error:
        raise InputError(
            one_line(f"the weights in {path} do not fit {type(model).__name__} ({error})")
        ) from None


def _read_torch(path: Path) -> dict[str, Tensor]:
    """The state dict of a file of ``torch.save``, which may be part of a checkpoint."""
    import torch

    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # of pickle, zip files, torch: each has its own for a damaged file
        said = str(error).split(". ")[0]
        raise InputError(
            one_line(f"{path} cannot be read as weights alone ({said})", 200)
            + "; write it by torch.save(model.state_dict(), ...)"
        ) from None
    for key in STATES:
        if isinstance(content, dict) and isinstance(content.get(key), dict):
            content = content[key]
    if not isinstance(content, dict) or not any(isinstance(v, Tensor) for v in content.values()):
        raise InputError(
            f"expected weights by name in {path}, got a {type(content).__name__} without them; "
            "write it by torch.save(model.state_dict(), ...)"
        )
    return {_unwrapped(str(name)): value for name, value in content.items()}


def _unwrapped(name: str) -> str:
    for prefix in WRAPPERS * 2:
        name = name.removeprefix(prefix)
    return name
