"""Models of corollary on disk: weights with what is needed to build the module again, no pickle.

The file names a class of :mod:`corollary.models` and its arguments (plain data); loading builds
that class and nothing else, so a file from a stranger cannot run code.
"""

import importlib
import inspect
from pathlib import Path
from typing import Any

import torch
from torch import nn

from corollary.errors import InputError
from corollary.train.packing import read_state, write_state

_HOME = "corollary.models."


def save_model(model: nn.Module, path: str | Path, **arguments: Any) -> None:
    """Write a model of corollary with the ``arguments`` that build it.

    Example:
        >>> import tempfile
        >>> from corollary.models.units import LinearUnit
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     unit = LinearUnit(3, rng=torch.Generator())
        ...     save_model(unit, Path(folder) / "unit.safetensors", n=3)
        ...     type(load_model(Path(folder) / "unit.safetensors")).__name__
        'LinearUnit'
    """
    kind = type(model)
    if not kind.__module__.startswith(_HOME):
        raise InputError(
            "expected a model of corollary.models, got a "
            f"{kind.__module__}.{kind.__qualname__}; load your own model with file.py:build"
        )
    state = {"module": kind.__module__, "class": kind.__qualname__, "arguments": arguments}
    write_state(Path(path), state | {"weights": dict(model.state_dict())})


def load_model(path: str | Path) -> nn.Module:
    """Read a model written by :func:`save_model`."""
    state = read_state(Path(path))
    try:
        home, kind = state["module"], state["class"]
        arguments, weights = state["arguments"], state["weights"]
    except (KeyError, TypeError):
        raise InputError(
            f"{path} holds no model of corollary.models, and weights alone do not say to "
            "which module they belong; pass file.py:build, a function that builds the module "
            "and loads them"
        ) from None
    if not str(home).startswith(_HOME):
        raise InputError(f"{path} names the module {home}, which is not one of corollary.models")
    build = getattr(importlib.import_module(home), kind)
    if "rng" in inspect.signature(build).parameters:
        arguments = arguments | {"rng": torch.Generator()}  # its draws are overwritten below
    model: nn.Module = build(**arguments)
    model.load_state_dict(weights)
    return model
