"""Workers that check claims, kept warm: importing torch takes seconds, a claim takes less."""

import asyncio
import contextlib
from typing import Any

from corollary.lab.limits import Busy, Limits
from corollary.lab.process import Worker, WorkerEnded

MOST = 2  # workers at a time
WAITING = 32  # runs that wait for one of them
GRACE = 5.0  # seconds beyond the limit in which a worker may say itself that time is up
SOON = 1.0  # seconds in which a worker is often free again, and in which none can be started
LETTING_GO = 4.0  # seconds in which a worker must drop a run that nobody waits for


class CheckPool:
    """A pool: each worker does one run at a time, and runs beyond that wait for their turn."""

    def __init__(self, limits: Limits, most: int = MOST) -> None:
        self.limits = limits
        self.free: list[Worker] = []
        self.all: set[Worker] = set()
        self.places = asyncio.Semaphore(most)
        self.count, self.waiting, self.closed = 0, 0, False
        self.tasks: set[asyncio.Task[None]] = set()
        self.freed = asyncio.Event()

    async def warm(self) -> None:
        """Have one worker ready."""
        if not self.all:
            self.free.append(await self._new())

    async def run(self, **order: Any) -> dict[str, Any]:
        """The answer to one order; if the caller is cancelled, so is the run.

        Raises:
            Busy: if too many runs wait already.
            WorkerEnded: if the worker dies, or does not end in time.
        """
        await self._place()
        worker, number, handed_on = None, 0, False
        try:
            worker = await self._taken()
            await worker.wait_until_ready()
            self.count = number = self.count + 1
            await worker.send(id=number, seconds=self.limits.seconds, **order)
            answer = _answer(worker, number)
            return await asyncio.wait_for(answer, self.limits.seconds + GRACE)
        except TimeoutError:
            assert worker is not None
            await worker.end("time")
            raise WorkerEnded(f"the worker ended: time ({self.limits.seconds:g} s)") from None
        except asyncio.CancelledError:
            if worker is not None and number:
                handed_on = True
                self._keep(self._dropped(worker, number))
            raise
        finally:
            if not handed_on:
                self._back(worker)

    async def close(self) -> None:
        """End all workers."""
        self.closed = True
        while self.all or self.tasks:  # a task may be starting one
            ending = [worker.end("the lab was stopped") for worker in self.all]
            self.all, self.free = set(), []
            await asyncio.gather(*ending, *self.tasks, return_exceptions=True)

    def kill(self) -> None:
        """The same at once."""
        for worker in self.all:
            worker.kill()

    async def _place(self) -> None:
        if self.waiting >= WAITING:
            raise Busy(f"{WAITING} runs wait for their turn already; try again in a while")
        self.waiting += 1
        try:
            await self.places.acquire()
        finally:
            self.waiting -= 1

    async def _taken(self) -> Worker:
        if not self.free and self.all:  # to wait for a warm one is quicker than to start one
            self.freed.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.freed.wait(), SOON)
        while self.free:
            worker = self.free.pop()
            if worker.alive:
                return worker
            await worker.end()
            self.all.discard(worker)
        return await self._new()

    async def _new(self) -> Worker:
        worker = await Worker.start("check", self.limits)
        self.all.add(worker)
        return worker

    def _back(self, worker: Worker | None) -> None:
        self.places.release()
        if worker is not None and worker.alive:
            self.free.append(worker)
            self.freed.set()
            return
        self.all.discard(worker)
        if not self.all and not self.closed:  # the next run finds a warm one
            self._keep(self._again())

    async def _again(self) -> None:
        with contextlib.suppress(OSError):
            await self.warm()

    async def _dropped(self, worker: Worker, number: int) -> None:
        """Tell the worker to drop the run; one that does not is ended."""
        await worker.send(cancel=number)
        try:
            await asyncio.wait_for(_answer(worker, number), LETTING_GO)
        except (TimeoutError, WorkerEnded):
            await worker.end("the run was dropped")
        finally:
            self._back(worker)

    def _keep(self, work: Any) -> "asyncio.Task[None]":
        """A task that the loop must not forget."""
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task


async def _answer(worker: Worker, number: int) -> dict[str, Any]:
    while True:
        said = await worker.hear()
        if said.get("id") == number:
            return said
