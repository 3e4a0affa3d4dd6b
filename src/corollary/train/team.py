"""The processes of a run: which one this is, its part of a batch, and what all of them agree on.

A run is shared out when :func:`torch.distributed.init_process_group` has been called in several
processes (``torchrun`` starts them). All of them call the same things in the same order; those
methods here that wait for the others say so.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

from corollary.errors import CorollaryError, InputError, LostProcessError
from corollary.theory.prerequisites.wellformed import check_at_least

Sharding = Literal["ddp", "fsdp2", "none"]
T = TypeVar("T")
LOOKED_AT = 64  # rows of each tensor that are compared between the processes


class Spare(tuple[Tensor, ...]):
    """Rows of a batch of which this process has no part: computed along, never counted.

    All processes must take part in the exchange of gradients, also those without rows.
    """


class Team:
    """All processes of the default group, as seen by one of them.

    Args:
        device: Where the tensors live that are exchanged.
    """

    def __init__(self, device: torch.device) -> None:
        self.rank, self.size, self.device = dist.get_rank(), dist.get_world_size(), device

    @property
    def first(self) -> bool:
        """Whether this is the process that prints and writes."""
        return self.rank == 0

    def share(self, batch: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The rows of a batch that are this process's to compute."""
        return part_of(batch, self.rank, self.size)

    def sums(self, *values: Tensor | float) -> list[float]:
        """Each value added over all processes; waits for the others."""
        row = torch.stack([torch.as_tensor(v, device=self.device).double() for v in values])
        dist.all_reduce(row)
        return row.tolist()

    def first_word(self, word: str) -> str:
        """What the first process with something to say says, or nothing; waits for the others."""
        if not self.sums(float(bool(word)))[0]:
            return ""
        words = [""] * self.size
        dist.all_gather_object(words, word)
        return next(w for w in words if w)

    def told(self, value: T) -> T:
        """The value that process 0 has; waits for it."""
        box = [value]
        dist.broadcast_object_list(box, 0)
        return box[0]

    def by_first(self, action: Callable[[], T]) -> T:
        """What process 0 gets from ``action``; an error of its is raised by all."""
        done: list[T] = []
        why = ""
        if self.first:
            try:
                done.append(action())
            except CorollaryError as error:
                why = str(error)
        done, why = self.told((done, why))
        if why:
            raise InputError(why)
        return done[0]

    def spread(self, tensors: Sequence[Tensor]) -> None:
        """Overwrite the tensors by those of process 0, all in one message."""
        if not tensors:
            return
        raw = [t.detach().contiguous().reshape(-1).view(torch.uint8) for t in tensors]
        flat = torch.cat(raw)
        dist.broadcast(flat, 0)
        with torch.no_grad():
            for t, part in zip(tensors, flat.split([len(r) for r in raw]), strict=True):
                t.copy_(part.clone().view(t.dtype).view(t.shape))  # a clone is aligned

    def check_same(self, **facts: Any) -> None:
        """Raise, in every process, if they were not given the same; waits for the others."""
        others: list[dict[str, Any]] = [{} for _ in range(self.size)]
        dist.all_gather_object(others, facts)
        for rank, other in enumerate(others):
            for name, value in others[0].items():
                if other.get(name) != value:
                    raise InputError(
                        f"the processes of a run need the same {name}, but process 0 has "
                        f"{value} and process {rank} has {other.get(name)}; use the same seed "
                        "in all processes"
                    )


def part_of(batch: tuple[Tensor, ...], number: int, count: int) -> tuple[Tensor, ...]:
    """Part ``number`` of ``count`` nearly equal parts, or :class:`Spare` rows if it has none.

    Parts have two rows or more where that is possible: BatchNorm cannot train on one.

    Example:
        >>> rows = (torch.arange(5),)
        >>> [part_of(rows, i, 2)[0].tolist() for i in range(2)]
        [[0, 1], [2, 3, 4]]
        >>> isinstance(part_of(rows, 2, 3), Spare)
        True
    """
    if isinstance(batch, Spare):
        return batch
    check_at_least("count", count, 1)
    n = len(batch[0])
    count = max(1, min(count, n // 2))
    if number >= count:
        return Spare([t[:2] for t in batch])
    mine = slice(n * number // count, n * (number + 1) // count)
    return tuple([t[mine] for t in batch])


def team_of(sharding: Sharding, devices: Iterable[torch.device]) -> Team | None:
    """The processes that share the run; None if this one is alone."""
    if sharding not in ("ddp", "fsdp2", "none"):
        raise InputError(f"expected sharding to be 'ddp', 'fsdp2' or 'none', got {sharding!r}")
    grouped = dist.is_available() and dist.is_initialized()
    if sharding == "fsdp2" and not grouped:
        raise InputError(
            "sharding='fsdp2' needs a process group, and there is none; start the program with "
            "torchrun and call torch.distributed.init_process_group()"
        )
    if sharding == "none" or not grouped or dist.get_world_size() == 1:
        return None
    found = sorted(set(devices), key=str)
    return Team(found[0] if len(found) == 1 else torch.device("cpu"))


def fingerprint(tensors: Sequence[Tensor]) -> str:
    """A short word on shapes and some rows, by which different data are told apart.

    Example:
        >>> fingerprint([torch.zeros(3)]) == fingerprint([torch.zeros(3)])
        True
        >>> fingerprint([torch.zeros(3)]) == fingerprint([torch.ones(3)])
        False
    """
    digest = hashlib.sha256()
    for t in tensors:
        rows = torch.linspace(0, len(t) - 1, min(len(t), LOOKED_AT)).long()
        digest.update(f"{tuple(t.shape)} {t.dtype}".encode())
        some = t.detach()[rows.to(t.device)].cpu().contiguous().reshape(-1)
        digest.update(some.view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()[:12]


@contextmanager
def losses_told(where: Callable[[], str]) -> Iterator[None]:
    """Turn what torch says when another process is gone into a sentence."""
    try:
        yield
    except RuntimeError as error:
        if not _is_about_others(error):
            raise
        raise LostProcessError(
            f"another process of the run has ended or does not respond, {where()}"
        ) from error


def _is_about_others(error: RuntimeError) -> bool:
    known = tuple(
        kind for name in ("DistError", "DistBackendError") if (kind := getattr(dist, name, None))
    )
    return isinstance(error, known) or "gloo" in str(error)


def told_by_first(value: T) -> T:
    """The value of process 0 in every process of the group; the value itself when alone.

    Example:
        >>> told_by_first(0.1)
        0.1
    """
    grouped = dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1
    return Team(torch.device("cpu")).told(value) if grouped else value
