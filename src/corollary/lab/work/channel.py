"""The worker's end of the connection: orders in, answers out, and a complete shutdown."""

import json
import os
import queue
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corollary.lab.limits import MEMORY

Order = dict[str, Any]


class Channel:
    """Reads orders from the original standard input, and answers on ``pipe``.

    Code that the worker runs gets an empty standard input, and cannot answer in its place.
    """

    def __init__(self, pipe: int) -> None:
        os.set_inheritable(pipe, False)
        self.pipe, self.current = pipe, 0
        self.cancelled: set[int] = set()
        self.orders: queue.SimpleQueue[Order] = queue.SimpleQueue()
        ear = os.dup(0)
        self._start_watcher(ear)
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        self.begin(0)
        threading.Thread(target=self._listen, args=(ear,), daemon=True).start()

    def _listen(self, ear: int) -> None:
        with os.fdopen(ear, encoding="utf-8") as lines:
            for line in lines:
                order = json.loads(line)
                if "cancel" in order:
                    self.cancelled.add(order["cancel"])
                    threading.Thread(
                        target=self._drop, args=(order["cancel"],), daemon=True
                    ).start()
                else:
                    self.orders.put(order)

    def _start_watcher(self, ear: int) -> None:
        """A process that ends the worker when the server is gone, whatever the worker is doing.

        A thread could not: one long call in C keeps it from running.
        """
        if os.fork():
            return
        os.close(self.pipe)  # the server must see its end when the worker dies
        server = select.poll()
        server.register(ear, 0)  # nothing but that nobody can write to it any more
        server.poll()
        end_all()

    def _drop(self, number: int) -> None:
        """Stop that run as if its time were up; repeated, because it may not have begun."""
        while self.current == number:
            os.kill(os.getpid(), signal.SIGALRM)
            time.sleep(0.25)

    def begin(self, number: int) -> None:
        """A run begins: from now on it can be dropped."""
        # Between runs nothing is to be interrupted; inside, run.time_limit has the signal.
        signal.signal(signal.SIGALRM, lambda *_: None)
        self.current = number

    def next(self, wait: bool = True) -> Order | None:
        """The next order; None if there is none and we do not wait."""
        try:
            return self.orders.get(block=wait)
        except queue.Empty:
            return None

    def say(self, **what: Any) -> None:
        """One answer, as strict JSON."""
        line = json.dumps(what, allow_nan=False).encode() + b"\n"
        try:
            while line:  # a pipe may take less than it is given
                line = line[os.write(self.pipe, line) :]
        except BrokenPipeError:
            end_all()

    @contextmanager
    def told_of_death(self) -> Iterator[None]:
        """If memory runs out, report it and exit, because the process can no longer be trusted."""
        try:
            yield
        except Exception as error:
            if not starved(error):
                raise
            self.say(ended=MEMORY)
            os._exit(1)

    @staticmethod
    def limit_memory(memory: int) -> None:
        """Limit memory to this many bytes beyond the present use, where the system supports it."""
        try:
            import resource

            taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            resource.setrlimit(resource.RLIMIT_AS, (taken + memory, hard))
        except (ImportError, OSError, ValueError):
            print("corollary: this system cannot limit the memory of a process", file=sys.stderr)


def starved(error: BaseException | str) -> bool:
    """Whether an error, or its message, means that memory ran out.

    Example:
        >>> starved(MemoryError()), starved("ValueError: no")
        (True, False)
    """
    said = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    return any(part in said for part in ("MemoryError", "can't allocate memory", "bad_alloc"))


def end_all() -> None:
    """End this process, the one that started it and all that they started."""
    if os.getpgrp() == os.getsid(0):  # a session of our own, not that of a terminal's user
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
