"""Numba where it is installed, for loops that no batched form can replace.

A kernel is a plain Python function on NumPy arrays. Callers ask for it here and take their torch
path when the answer is ``None``; both paths are tested to be equal.
"""

import inspect
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any, Literal, overload

from corollary.errors import InputError, MissingExtraError

Backend = Literal["auto", "numba", "torch"]


@cache
def _compile(kernel: Callable[..., Any], contract: bool) -> Callable[..., Any]:
    import numba

    kernel = inspect.unwrap(kernel)  # numba cannot see through the shape checks of the tests
    compiled: Callable[..., Any] = numba.njit(
        cache=True, nogil=True, fastmath={"contract"} if contract else False
    )(kernel)
    return compiled


@overload
def compiled(
    kernel: Callable[..., Any],
    backend: Literal["numba"],
    *,
    worth_it: bool = ...,
    contract: bool = ...,
) -> Callable[..., Any]: ...
@overload
def compiled(
    kernel: Callable[..., Any],
    backend: Backend = ...,
    *,
    worth_it: bool = ...,
    contract: bool = ...,
) -> Callable[..., Any] | None: ...
def compiled(
    kernel: Callable[..., Any],
    backend: Backend = "auto",
    *,
    worth_it: bool = True,
    contract: bool = False,
) -> Callable[..., Any] | None:
    """The compiled kernel, or ``None`` for "take the torch path".

    Args:
        kernel: A module-level function on NumPy arrays and numbers.
        backend: ``numba`` insists, ``torch`` declines, ``auto`` compiles if numba is installed.
        worth_it: With ``auto``, whether the work is large enough to pay for compilation (about a
            second the first time on a machine, then a few milliseconds from the cache).
        contract: Whether a product and a sum may be rounded once (fused), for polynomials.
    """
    if backend not in ("auto", "numba", "torch"):
        raise InputError(f"backend must be auto, numba or torch, got '{backend}'")
    if backend == "torch" or (backend == "auto" and not worth_it):
        return None
    if find_spec("numba") is None:
        if backend == "numba":
            raise MissingExtraError(
                "backend 'numba' needs numba, which is not installed; run pip install "
                "'corollary[fast]', or use backend='torch'"
            )
        return None
    return _compile(kernel, contract)
