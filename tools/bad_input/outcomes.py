"""What a call gave: a refusal, a raw error, no answer in time, or numbers."""

import contextlib
import inspect
import io
import itertools
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from bad_input.examples import Public
from corollary.errors import CorollaryError

SECONDS = 1.0  # CPU time for one call; the good one takes a tenth at most
DEEP = 4  # levels of a result that are looked into


@dataclass
class Outcome:
    """How a call ended, and the numbers it gave by their place in the result."""

    kind: str  # "returned", "sentence", "raw error" or "hung"
    what: str = ""
    numbers: dict[str, Tensor] = field(default_factory=dict)


class OutOfTime(BaseException):
    """Not an Exception, so that no function catches it."""


def _stop(*_: Any) -> None:
    raise OutOfTime


def outcome(entry: Public, arguments: dict[str, Any]) -> Outcome:
    """Call the function and say how that ended; what it prints is thrown away."""
    torch.manual_seed(0)
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    quiet = io.StringIO()
    try:
        with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            result = called(entry, arguments)
            return Outcome("returned", numbers=dict(numbers(result)))
    except CorollaryError as error:
        return Outcome("sentence", str(error))
    except OutOfTime:
        return Outcome("hung", f"no answer in {SECONDS:g} s")
    except (Exception, SystemExit) as error:
        return Outcome("raw error", repr(error)[:200])
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def called(entry: Public, arguments: dict[str, Any]) -> Any:
    """The result of a call with these arguments by parameter name."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, value in arguments.items():
        match entry.signature.parameters[name].kind:
            case inspect.Parameter.VAR_POSITIONAL:
                args.extend(value)
            case inspect.Parameter.VAR_KEYWORD:
                kwargs.update(value)
            case inspect.Parameter.KEYWORD_ONLY:
                kwargs[name] = value
            case _:
                args.append(value)
    return entry.call(*args, **kwargs)


def numbers(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Tensor]]:
    """The numbers and arrays within a result, each with the path to it."""
    if depth > DEEP:
        return
    match value:
        case bool() | int() | float() | complex() | np.number() | np.bool_() | np.ndarray():
            with contextlib.suppress(TypeError):  # an array of strings
                yield path, torch.as_tensor(value)
        case Tensor():
            dense = value.detach().to_dense() if value.layout is not torch.strided else value
            yield path, dense.detach().clone()
        case nn.Module():
            yield from ((f"{path}.{name}", w.clone()) for name, w in value.state_dict().items())
        case Mapping():
            for key, item in value.items():
                yield from numbers(item, f"{path}[{key!r}]", depth + 1)
        case list() | tuple():
            for i, item in enumerate(value):
                yield from numbers(item, f"{path}[{i}]", depth + 1)
        case Iterator():
            yield from numbers(list(itertools.islice(value, 8)), path, depth + 1)
        case _ if is_dataclass(value) and not isinstance(value, type):
            for part in fields(value):
                yield from numbers(
                    getattr(value, part.name, None), f"{path}.{part.name}", depth + 1
                )


def looks_good(number: Tensor) -> bool:
    """Whether all entries are finite, or, for the answer of a predicate, some are True."""
    if number.dtype is torch.bool:
        return bool(number.any())
    return bool(torch.isfinite(number).all())


def has_nan(number: Tensor) -> bool:
    """Whether this is a number that can be NaN, and some entry is."""
    return number.is_floating_point() and bool(torch.isnan(number).any())
