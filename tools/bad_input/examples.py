"""Good arguments for every public function: those its doctests call it with, recorded as they run.

All doctests run once under a profiler that sees each call of a public function, also those that one
function makes to another, and keeps a copy of the arguments. Nothing is listed by hand, so a new
function with an example is walked the day it appears.
"""

import contextlib
import copy
import doctest
import importlib
import inspect
import io
import pkgutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType, ModuleType
from typing import Any

import torch
from torch import Tensor

ROOMS = ("theory", "models", "data", "train")
REENTERED = inspect.CO_GENERATOR  # such a frame is entered anew at each step, with other locals


@dataclass
class Public:
    """A public function, class or method, and the calls of it that were recorded."""

    name: str
    call: Callable[..., Any]
    signature: inspect.Signature
    calls: list[dict[str, Any]] = field(default_factory=list)

    @property
    def spoilable(self) -> list[str]:
        """The names of the arguments that can be spoilt one at a time."""
        several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        each = self.signature.parameters.items()
        return [name for name, p in each if name != "self" and p.kind not in several]


def modules() -> Iterator[ModuleType]:
    """Every module of the rooms whose functions are public."""
    for room in ROOMS:
        package = importlib.import_module(f"corollary.{room}")
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield importlib.import_module(info.name)


def named(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The public functions, classes and methods that this module defines."""
    for name, value in list(vars(module).items()):
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        yield name, value
        if inspect.isclass(value):
            for method, function in vars(value).items():
                if inspect.isfunction(function) and (method == "__call__" or method[0] != "_"):
                    yield f"{name}.{method}", function


def watched(found: list[ModuleType]) -> dict[CodeType, Public]:
    """What is public in these modules, by the code that a call of it runs first."""
    table = {}
    for module in found:
        for name, value in named(module):
            first = vars(value).get("__init__") if inspect.isclass(value) else value
            first = inspect.unwrap(first) if callable(first) else None
            if inspect.isfunction(first):
                path = f"{module.__name__.removeprefix('corollary.')}.{name}"
                table[first.__code__] = Public(path, value, inspect.signature(first))
    return table


def replica(arguments: dict[str, Any]) -> dict[str, Any]:
    """A copy that shares no memory; also of tensors inside a graph, which deepcopy refuses."""
    tensors = (value for value in arguments.values() if isinstance(value, Tensor))
    inside = {id(value): value.detach().clone() for value in tensors if not value.is_leaf}
    return copy.deepcopy(arguments, inside)


def note(entry: Public, local: dict[str, Any]) -> None:
    """Keep the arguments of a call that begins with these local variables."""
    names = list(entry.signature.parameters)
    if inspect.isclass(entry.call):
        if type(local[names[0]]) is not entry.call:  # a subclass calls the constructor of its base
            return
        names = names[1:]
    with contextlib.suppress(Exception):  # what cannot be copied cannot be called again
        entry.calls.append(replica({name: local[name] for name in names}))


def recorded(kept: int) -> list[Public]:
    """All that is public, each with at most ``kept`` calls of it from the doctests."""
    found = list(modules())
    table = watched(found)

    def profile(frame: FrameType, event: str, _: Any) -> None:
        entry = table.get(frame.f_code) if event == "call" else None
        if entry is None or len(entry.calls) >= kept or frame.f_code.co_flags & REENTERED:
            return
        note(entry, frame.f_locals)

    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for module in found:
            for example in doctest.DocTestFinder().find(module):
                torch.manual_seed(0)
                sys.setprofile(profile)
                runner.run(example, clear_globs=False)
                sys.setprofile(None)
    return list(table.values())
