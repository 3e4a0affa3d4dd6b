"""The loader and the scheduler of a loop, read from the variables of the functions that run it.

The user does not have to pass them. The frames above ``optimizer.step()`` are searched once;
nothing in them is changed.
"""

import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType, ModuleType
from typing import Any

from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau
from torch.utils.data import DataLoader

from corollary.watch.hooks import unwrapped

FRAMES = 40
VALUES = 400  # variables of a frame that are looked at


@dataclass
class Surroundings:
    """The objects that were found.

    Several loaders are kept, because the training loader is not known.
    """

    loaders: list[DataLoader[Any]]
    scheduler: LRScheduler | None
    plateau: ReduceLROnPlateau | None = None
    strange: LRScheduler | None = None  # of an optimizer with some of the same parameters

    def loader(self, batch_size: int) -> DataLoader[Any] | None:
        """The largest loader that yields batches of this size."""
        fit = [x for x in self.loaders if x.batch_size == batch_size and _length(x) > 0]
        return max(fit, key=_length, default=None)


def look_around(optimizer: Optimizer) -> Surroundings:
    """Search the variables of the calling functions, and the attributes of their objects."""
    loaders: dict[int, DataLoader[Any]] = {}
    schedulers: dict[int, LRScheduler] = {}
    for _, value in variables():
        kind = type(value)  # isinstance() would ask proxies, which may warn or load
        if issubclass(kind, DataLoader):
            loaders[id(value)] = value
        elif issubclass(kind, LRScheduler):
            schedulers[id(value)] = value
    ours = [s for s in schedulers.values() if unwrapped(s.optimizer) is optimizer]
    plateaus = [s for s in ours if isinstance(s, ReduceLROnPlateau)]
    steady = [s for s in ours if not isinstance(s, ReduceLROnPlateau)]
    steady.sort(key=lambda s: not hasattr(s, "_schedulers"))  # one that holds the others first
    strange = [s for s in schedulers.values() if _shares(unwrapped(s.optimizer), optimizer)]
    return Surroundings(
        list(loaders.values()), _first(steady), _first(plateaus), None if ours else _first(strange)
    )


def _first(found: list[Any]) -> Any:
    return found[0] if found else None


def _shares(a: Optimizer, b: Optimizer) -> bool:
    """Whether two optimizers have a parameter in common."""
    one, other = ({id(p) for g in o.param_groups for p in g["params"]} for o in (a, b))
    return not one.isdisjoint(other)


def variables() -> Iterator[tuple[str, Any]]:
    """Names and values in the calling functions, and the attributes of their objects."""
    frame: FrameType | None = sys._getframe(1)
    for _ in range(FRAMES):
        if frame is None:
            return
        if not _ours(frame.f_globals.get("__name__", "")):
            yield from _of_frame(frame)
        frame = frame.f_back


def _of_frame(frame: FrameType) -> Iterator[tuple[str, Any]]:
    values = list(frame.f_locals.items())[:VALUES]
    optimized = frame.f_code.co_flags & inspect.CO_OPTIMIZED
    if optimized and sys.gettrace() is None and sys.version_info < (3, 13):
        frame.f_locals.clear()  # a snapshot that would keep tensors alive
    for name, value in values:
        yield name, value
        if not issubclass(type(value), type | ModuleType):
            yield from list(_attributes(value).items())[:VALUES]


def _attributes(value: Any) -> dict[str, Any]:
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if type(found) is dict else {}


def _ours(module: str) -> bool:
    return module.startswith(("torch.", "corollary.watch"))


def _length(loader: DataLoader[Any]) -> int:
    try:
        return len(loader)
    except TypeError:  # of a stream
        return 0
