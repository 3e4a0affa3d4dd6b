"""Checks of arguments: errors of public functions name the bad argument, valid calls cost nothing.

A tensor of the wrong shape fails deep inside torch, with the shapes of some product in between. The
annotations of the function that the user called say what it expected. So the public functions of
some packages are wrapped as their modules are imported: the wrapper only calls them, and when that
fails with an error that is not ours, it compares the arguments with the annotations and raises a
sentence about the one that does not fit. Without such an argument the error stays as it is.
"""

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from corollary.arguments.wrapping import wrap_public


def name_bad_arguments(*packages: str) -> None:
    """Let every module below these packages that is imported from now on name bad arguments."""
    sys.meta_path.insert(0, _Finder(packages))


class _Finder(MetaPathFinder):
    """Leaves finding and loading to the finders behind it, and wraps what was loaded."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        self.prefixes = tuple(f"{package}." for package in packages)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(self.prefixes):
            return None
        behind = sys.meta_path[sys.meta_path.index(self) + 1 :]
        specs = (finder.find_spec(fullname, path, target) for finder in behind)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    """Another loader, which may serve other modules too, followed by the wrapping."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.loader.exec_module(module)
        wrap_public(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)  # such as get_source, which tracebacks read
