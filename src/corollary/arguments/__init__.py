"""Checks of arguments: errors of public functions name the bad argument, valid calls cost nothing.

A tensor of the wrong shape fails deep inside torch, with the shapes of some product in between. The
annotations of the called function say what it expects. The public functions of some packages are
therefore wrapped when their modules are imported. The wrapper only calls the function. If the call
fails with an error of another package, the wrapper compares the arguments with the annotations and
raises one sentence about the argument that does not fit. If all arguments fit, the original error
is raised.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from corollary.arguments.wrapping import wrap_public

if TYPE_CHECKING:
    from importlib.abc import Loader, MetaPathFinder
else:  # importing importlib.abc takes a fifth of the time of `import corollary`
    Loader = MetaPathFinder = object


def name_bad_arguments(*packages: str) -> None:
    """Let every module below these packages that is imported from now on name bad arguments."""
    sys.meta_path.insert(0, _Finder(packages))


class _Finder(MetaPathFinder):
    """Leaves finding and loading to the other finders, and wraps the loaded module."""

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
    """Another loader, followed by the wrapping; the loader may serve other modules too."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.loader.exec_module(module)
        wrap_public(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)  # such as get_source, which tracebacks read
