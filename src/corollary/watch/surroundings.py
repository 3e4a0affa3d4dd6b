"""The loader and the scheduler of a loop, read from the variables of the functions that run it.

Nobody has to hand them over. The frames above ``optimizer.step()`` are searched once; nothing in
them is changed.
"""

import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType, ModuleType
from typing import Any

from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau
from torch.utils.data import DataLoader, SequentialSampler

FRAMES = 40
VALUES = 400  # variables of a frame that are looked at


@dataclass
class Surroundings:
    """What was found; several loaders are kept, the one of the training batches is not known."""

    loaders: list[DataLoader[Any]]
    scheduler: LRScheduler | None

    def loader(self, batch_size: int) -> DataLoader[Any] | None:
        """The largest loader that gives batches of this size."""
        fit = [x for x in self.loaders if x.batch_size == batch_size and _length(x) > 0]
        return max(fit, key=_length, default=None)

    def in_order(self, batch_size: int) -> bool:
        """Whether every loader with this batch size goes through its data in order."""
        fit = [x for x in self.loaders if x.batch_size == batch_size]
        return bool(fit) and all(isinstance(x.sampler, SequentialSampler) for x in fit)


def look_around(optimizer: Optimizer) -> Surroundings:
    """Search the variables of the calling functions, and the attributes of their objects."""
    loaders: dict[int, DataLoader[Any]] = {}
    schedulers: list[LRScheduler] = []
    for value in _variables():
        kind = type(value)  # isinstance() would ask proxies, which may warn or load
        if issubclass(kind, DataLoader):
            loaders[id(value)] = value
        elif issubclass(kind, LRScheduler) and value.optimizer is optimizer:
            if not issubclass(kind, ReduceLROnPlateau):  # it may never have to change the rate
                schedulers.append(value)
    return Surroundings(list(loaders.values()), schedulers[0] if schedulers else None)


def _variables() -> Iterator[Any]:
    frame: FrameType | None = sys._getframe(1)
    for _ in range(FRAMES):
        if frame is None:
            return
        if not _ours(frame.f_globals.get("__name__", "")):
            yield from _of_frame(frame)
        frame = frame.f_back


def _of_frame(frame: FrameType) -> Iterator[Any]:
    values = list(frame.f_locals.values())[:VALUES]
    optimized = frame.f_code.co_flags & inspect.CO_OPTIMIZED
    if optimized and sys.gettrace() is None and sys.version_info < (3, 13):
        frame.f_locals.clear()  # a snapshot that would keep tensors alive
    for value in values:
        yield value
        if not issubclass(type(value), type | ModuleType):
            yield from list(_attributes(value).values())[:VALUES]


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
