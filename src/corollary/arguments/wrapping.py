"""A function whose raw errors name the argument at fault."""

import sys
from collections.abc import Callable
from functools import wraps
from inspect import isclass, isfunction
from types import ModuleType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

# What is raised on an argument that cannot be used, and by whom. Errors of other classes are meant
# by those who wrote them, such as one that a callback of the user raises to stop a training.
RAW = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
FROM = {"builtins", "torch", "numpy", "scipy", "jaxtyping"}


def wrapped(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with one sentence instead of a raw error if an argument is at fault."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except RAW as error:
            if type(error).__module__.split(".")[0] not in FROM or _is_inner():
                raise
            from corollary.arguments.blame import blamed  # needs torch

            named = blamed(function, args, kwargs, error)
            if named is None:
                raise
            raise named from error

    return call


def _is_inner() -> bool:
    """Whether the wrapper two frames up was itself called, in the end, by another wrapper.

    Only the outermost function was called by the user, so its names are the ones to speak in; and
    between the two the error may be one that our own code catches.
    """
    wrapper = sys._getframe(1)
    frame = wrapper.f_back
    while frame is not None and frame.f_code is not wrapper.f_code:
        frame = frame.f_back
    return frame is not None


def wrap_public(module: ModuleType) -> None:
    """Wrap the public functions that this module defines, and the methods of its public classes."""
    for name, value in list(vars(module).items()):
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if isfunction(value):
            setattr(module, name, wrapped(value))
            # Tables of the module may hold the function itself; here is where pickle finds it.
            value.__qualname__ = f"{name}.__wrapped__"
        elif isclass(value):
            for key, method in list(vars(value).items()):
                public = key in ("__init__", "__call__") or not key.startswith("_")
                if public and isfunction(method):
                    setattr(value, key, wrapped(method))
