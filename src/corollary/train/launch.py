"""The processes that ``torchrun`` starts: they join, and speak with one voice.

``torchrun`` ends all processes as soon as one has failed. So whoever fails first tells why, and the
others wait until that is said before they end.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from corollary.errors import CorollaryError, LostProcessError

if TYPE_CHECKING:
    from torch.distributed.distributed_c10d import Store

_NEEDED = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
WRONG = 2  # exit code of an error that is told in a sentence


class Processes:
    """The processes of a command, as seen by one of them."""

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank, self.size = rank, size

    @property
    def first(self) -> bool:
        """Whether this is the one that prints and writes."""
        return self.rank == 0

    def wait(self) -> None:
        """Until all of them are here."""
        if self.size > 1:
            import torch.distributed as dist

            dist.barrier()


def launched() -> bool:
    """Whether ``torchrun`` or its like has started this process; imports no torch.

    Example:
        >>> launched()
        False
    """
    return all(name in os.environ for name in _NEEDED)


@contextmanager
def joined() -> Iterator[Processes]:
    """Within the block the processes are a group of torch's; alone, nothing happens.

    An error that all of them run into is told once, as is the loss of one of them.
    """
    if not launched():
        yield Processes()
        return
    import torch
    import torch.distributed as dist
    from torch.distributed.distributed_c10d import PrefixStore
    from torch.distributed.rendezvous import rendezvous

    from corollary.train.team import losses_told

    store, rank, size = next(rendezvous("env://"))
    told = PrefixStore("corollary", store)
    try:
        if torch.cuda.is_available():
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
        backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
        meeting = PrefixStore("group", store)
        dist.init_process_group(backend, store=meeting, rank=rank, world_size=size)
        with losses_told(lambda: "before or after training"):
            yield Processes(rank, size)
    except CorollaryError as error:
        _tell_once(told, str(error), lost=isinstance(error, LostProcessError))
        sys.exit(WRONG)
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


def leave(code: int) -> NoReturn:
    """End this process with an exit code; one of several, without tearing down the interpreter.

    After DDP or FSDP torch keeps the threads of gloo beyond ``destroy_process_group``. On a busy
    machine such a thread may still drop the tensors of the last exchange while the interpreter
    ends, and aborts the process ("terminate called without an active exception", exit code -6)
    though all is done: github.com/pytorch/pytorch/pull/179291 has the reason.
    """
    if not launched():
        sys.exit(code)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _tell_once(store: "Store", sentence: str, *, lost: bool) -> None:
    """Print the sentence unless another process has; return when it is printed."""
    try:
        if store.add("errors", 1) == 1:
            _print(sentence)
            store.set("sentence", sentence)
        elif store.get("sentence").decode() != sentence and not lost:
            _print(sentence)  # who is lost has told why, or its peer has told that it is lost
    except RuntimeError:  # the store is gone with the process that kept it
        _print(sentence)


def _print(sentence: str) -> None:
    print(f"corollary: {sentence}", file=sys.stderr, flush=True)
