"""Deep-learning theory, executable, and applied to your network.

The public names are loaded on first use, so ``import corollary`` imports neither torch nor numpy.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Claim": "corollary.core",
    "Figure": "corollary.core",
    "Result": "corollary.core",
    "Verdict": "corollary.core",
    "check": "corollary.run.check",
    "entries": "corollary.registry",
    "examine": "corollary.examine",  # the package, which can be called
    "find": "corollary.registry",
}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        home = import_module(_HOME[name])
        return getattr(home, name, home)
    raise AttributeError(f"module 'corollary' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
