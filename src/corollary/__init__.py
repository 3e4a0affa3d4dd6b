"""Deep-learning theory, executable, and applied to your network.

The public names are loaded on first use, so ``import corollary`` imports neither torch nor numpy.
"""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from corollary.arguments import name_bad_arguments

__version__ = "0.2.0"


def lazily(module: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a module whose names load on first use.

    The home of each name is written once, in the stub next to the module (``.pyi``), in the form
    that type checkers need: ``from home import name as name``, or ``short = name`` after an import.
    """
    stub = Path(str(sys.modules[module].__file__)).with_suffix(".pyi")
    homes: dict[str, tuple[str, str]] = {}
    imported: dict[str, tuple[str, str]] = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            imported |= {alias.name: (str(node.module), alias.name) for alias in node.names}
            homes |= {alias.name: imported[alias.name] for alias in node.names if alias.asname}
        elif isinstance(node, ast.Assign):
            homes[ast.unparse(node.targets[0])] = imported[ast.unparse(node.value)]

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        home, there = homes[name]
        if home == module:  # a module below this one
            return import_module(f"{home}.{there}")
        return getattr(import_module(home), there)

    class Door(ModuleType):
        """The names of the stub win over files: ``data.two_moons`` is the function."""

        def __setattr__(self, name: str, value: Any) -> None:
            file = isinstance(value, ModuleType) and homes.get(name, (module,))[0] != module
            if not file:
                super().__setattr__(name, value)

    sys.modules[module].__class__ = Door
    names = sorted(homes)
    return load, lambda: names, names


name_bad_arguments(*(f"corollary.{room}" for room in ("theory", "models", "data", "train")))
__getattr__, __dir__, __all__ = lazily(__name__)
