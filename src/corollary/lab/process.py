"""A worker process as the server sees it: orders, answers, limits, and how it ends.

Orders are JSON objects on its standard input, one per line; answers come back in the same form on
a separate pipe, because user code may print to standard output. The process leads a session of its
own, so it can be ended with all that it started; it ends by itself when the server is gone.
"""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from typing import Any

from corollary.lab.limits import MEMORY, Limits

LINE = 64 << 20  # bytes of one answer
START_UP = 180.0  # seconds; on a busy machine importing torch takes long


class WorkerEnded(Exception):
    """The worker is gone; the message is a sentence for the reader."""


class Worker:
    """One process; made by :meth:`start`."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        reader: asyncio.StreamReader,
        transport: asyncio.BaseTransport,
        limits: Limits,
    ) -> None:
        self.process, self.reader, self.transport = process, reader, transport
        self.limits = limits
        self.why = ""  # what ended it, if it is known
        self.ready = self.ended = False

    @classmethod
    async def start(cls, kind: str, limits: Limits) -> "Worker":
        """Start a worker for one kind of work: ``check``, ``play`` or ``examine``."""
        reading, writing = os.pipe()
        # -P: the folder may have a queue.py or a json.py, and nobody asked to run them.
        words = ("-P", "-m", "corollary.lab.work", kind, str(writing), str(limits.memory))
        try:
            # Not asyncio's own: to cancel a start of those may wait for ever (Python 3.11).
            process = subprocess.Popen(
                [sys.executable, *words],
                stdin=subprocess.PIPE,
                stdout=2,
                pass_fds=(writing,),
                start_new_session=True,
            )
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        assert process.stdin is not None
        os.set_blocking(process.stdin.fileno(), False)
        reader = asyncio.StreamReader(limit=LINE)
        connecting = asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(reading, "rb", buffering=0)
        )
        try:
            transport, _ = await connecting
        except BaseException:  # the page went away at this very moment
            process.kill()
            raise
        return cls(process, reader, transport, limits)

    @property
    def alive(self) -> bool:
        """Whether it still runs, as far as is known."""
        return not self.why and self.process.poll() is None

    async def send(self, **order: Any) -> None:
        """Send an order, unless the worker has ended or does not read."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            os.write(self.process.stdin.fileno(), json.dumps(order).encode() + b"\n")

    async def wait_until_ready(self) -> None:
        """Wait until it has imported what it needs."""
        while not self.ready:
            self.ready = bool((await asyncio.wait_for(self.hear(), START_UP)).get("ready"))

    async def hear(self) -> dict[str, Any]:
        """The next answer.

        Raises:
            WorkerEnded: if there will be none.
        """
        line = b""
        with contextlib.suppress(ValueError, ConnectionError):  # a line beyond all limits
            line = await self.reader.readline()
        if not line.endswith(b"\n"):
            await self.end()
            raise WorkerEnded(f"the process ended: {self.why}")
        said: dict[str, Any] = json.loads(line)
        if said.get("ended"):
            self.why = self.why or self.told(said["ended"])
            await self.end()
            raise WorkerEnded(f"the process ended: {self.why}")
        return said

    async def end(self, why: str = "") -> None:
        """End it and all that it started."""
        if self.ended:
            return
        self.why = self.why or why
        if not self.why:  # it went by itself: its exit code says how
            with contextlib.suppress(subprocess.TimeoutExpired):
                await asyncio.to_thread(self.process.wait, 1.0)
            self.why = self.told(_cause(self.process.returncode))
        self.kill()
        await asyncio.to_thread(self.process.wait)
        self.ended = True
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.transport.close()

    def kill(self) -> None:
        """The same at once, without waiting."""
        if self.ended:  # its number may be another's by now
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def told(self, cause: str) -> str:
        """The cause, with the limit that was met."""
        if cause == MEMORY:
            return f"{MEMORY} (limit {self.limits.gib}; raise it with --memory)"
        return cause


def _cause(code: int | None) -> str:
    """In a word or two, from the exit code."""
    if code in (-signal.SIGKILL, -signal.SIGABRT):  # C++ aborts when there is none to be had
        return MEMORY
    if code == -signal.SIGXCPU:
        return "time limit"
    if code is not None and code < 0:
        return f"signal {-code}"
    return f"exit code {code}"
