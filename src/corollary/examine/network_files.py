"""Networks in files that need no code: ONNX, ``.pt2`` of torch.export, and TorchScript."""

import warnings
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from corollary.errors import CorollaryError, InputError, MissingExtraError, one_line

SCRIPTS = (".pt", ".pth", ".ts")
NETWORK_FILES = (".onnx", ".pt2", *SCRIPTS)


def must_be_readable(path: Path) -> None:
    """Raise if there is no such file, or the package that reads it is not installed."""
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    if path.suffix == ".onnx" and find_spec("onnxruntime") is None:
        raise MissingExtraError(
            f"{path} needs onnxruntime, which is not installed; run pip install 'corollary[onnx]'"
        )
    if path.suffix in SCRIPTS and not _is_script(path):
        raise InputError(
            f"{path} is not TorchScript; to load weights, name their module too, as in "
            f"net.py:build --weights {path}"
        )


def load_network_file(path: Path) -> Any:
    """The module in a file.

    An ONNX network has only forward passes. The layers of an exported program cannot be inspected,
    but its parameters have gradients, like those of TorchScript.

    Raises:
        InputError: if it is not such a file; the message says why.
    """
    must_be_readable(path)
    try:
        if path.suffix == ".onnx":
            from corollary.examine.onnx_network import OnnxNetwork

            return OnnxNetwork(path)
        return _exported(path) if path.suffix == ".pt2" else _scripted(path)
    except (CorollaryError, MemoryError):
        raise
    except Exception as error:  # each of these formats has errors of its own
        raise InputError(
            one_line(f"{path} cannot be read ({type(error).__name__}: {error})")
        ) from None


def _exported(path: Path) -> Any:
    import torch

    module = torch.export.load(path).module()
    for name in ("train", "eval"):  # these refuse: there is one graph, whatever the mode
        vars(module).pop(name, None)
    return module


def _scripted(path: Path) -> Any:
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is deprecated, and in use
        return torch.jit.load(str(path), map_location="cpu")


def _is_script(path: Path) -> bool:
    """Whether an archive has the code and the constants of TorchScript."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.endswith("/constants.pkl") for name in archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False
