"""Workers that check claims, kept warm: importing torch takes seconds, a claim takes less.

Claims that take less than a second have a worker of their own, so that long ones cannot keep them
waiting. One of them that takes longer with the options it was given starts again among the long.
"""

import asyncio
import contextlib
import math
from typing import Any

from corollary.lab.limits import Busy, Limits
from corollary.lab.process import Worker, WorkerEnded

LONG = 2  # workers for long claims; there is one for short ones
SHORT = 1.0  # seconds after which a claim is not a short one
WAITING = 32  # runs that wait for one of the workers of a lane
GRACE = 5.0  # seconds beyond the limit in which a worker may say itself that time is up
SOON = 1.0  # seconds in which a worker is often free again, and in which none can be started
LETTING_GO = 4.0  # seconds in which a worker must drop a run that nobody waits for


class TooLong(Exception):
    """A run takes longer than expected and was dropped."""


class CheckPool:
    """Two lanes of workers, one for claims that are expected to be short."""

    def __init__(self, limits: Limits) -> None:
        self.short, self.long = Lane(limits, most=1), Lane(limits, most=LONG)

    async def warm(self) -> None:
        """Have a worker ready; the others start with the first run."""
        await self.short.warm()

    async def run(self, *, short: bool, **order: Any) -> dict[str, Any]:
        """The answer to one order; if the caller is cancelled, so is the run.

        Raises:
            Busy: if too many runs wait already.
            WorkerEnded: if the worker dies, or does not end in time.
        """
        self.long.warm_soon()
        if short and (self.long.full or not self.short.full):
            with contextlib.suppress(TooLong):
                return await self.short.run(order, patience=SHORT)
        return await self.long.run(order)

    async def close(self) -> None:
        """End all workers."""
        await asyncio.gather(self.short.close(), self.long.close())

    def kill(self) -> None:
        """End all workers at once, without waiting."""
        self.short.kill()
        self.long.kill()


class Lane:
    """Workers that do one run at a time each; runs beyond that wait for their turn."""

    def __init__(self, limits: Limits, most: int) -> None:
        self.limits = limits
        self.free: list[Worker] = []
        self.all: set[Worker] = set()
        self.places = asyncio.Semaphore(most)
        self.count, self.waiting = 0, 0
        self.warming = self.closed = False
        self.tasks: set[asyncio.Task[None]] = set()
        self.freed = asyncio.Event()

    async def warm(self) -> None:
        """Have one worker ready."""
        if self.all or self.warming:
            return
        self.warming = True
        try:
            self.free.append(await self._new())
        finally:
            self.warming = False

    @property
    def full(self) -> bool:
        """Whether a run would have to wait."""
        return self.places.locked()

    async def run(self, order: dict[str, Any], patience: float = math.inf) -> dict[str, Any]:
        """As in :meth:`CheckPool.run`; raises TooLong after ``patience`` seconds of work."""
        await self._place()
        worker, number, handed_on = None, 0, False
        try:
            worker = await self._taken()
            await worker.wait_until_ready()
            self.count = number = self.count + 1
            await worker.send(id=number, seconds=self.limits.seconds, **order)
            answer = _answer(worker, number)
            return await asyncio.wait_for(answer, min(patience, self.limits.seconds + GRACE))
        except TimeoutError:
            assert worker is not None
            if number and patience < self.limits.seconds:
                handed_on = True
                self._keep(self._dropped(worker, number))
                raise TooLong from None
            await worker.end("time")
            raise WorkerEnded(
                f"the process ended: time limit of {self.limits.seconds:g} s"
            ) from None
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
        """End all workers at once, without waiting."""
        for worker in self.all:
            worker.kill()

    async def _place(self) -> None:
        if self.waiting >= WAITING:
            raise Busy(f"{WAITING} runs are waiting already; try again when some have finished")
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
        self.warm_soon()  # the next run finds a warm one

    def warm_soon(self) -> None:
        """Start a worker in the background, if there is none."""
        if not self.all and not self.closed:
            self._keep(self._warm_or_not())

    async def _warm_or_not(self) -> None:
        with contextlib.suppress(OSError):
            await self.warm()

    async def _dropped(self, worker: Worker, number: int) -> None:
        """Tell the worker to drop the run; a worker that does not is ended."""
        await worker.send(cancel=number)
        try:
            await asyncio.wait_for(_answer(worker, number), LETTING_GO)
        except (TimeoutError, WorkerEnded):
            await worker.end("the run was cancelled")
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
