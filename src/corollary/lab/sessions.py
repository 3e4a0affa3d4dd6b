"""Work that goes on while pages look at it: a training run, an examination.

A session holds what a page needs to show it from the start: rows of numbers, thinned when there are
many, and the newest of each other thing. Pages that read slowly miss frames, never the newest one;
pages that come back see the state as it is.
"""

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator
from typing import Any

from corollary.errors import InputError
from corollary.lab.limits import Limits
from corollary.lab.process import Worker, WorkerEnded

ROWS = 2000  # beyond this every second row is dropped
MOST = 6  # sessions at a time
WATCHERS = 40  # pages at a time
HEARTBEAT = 10.0  # seconds between signs of life
RELOAD = 5.0  # seconds in which a page that is loaded again comes back
ALONE = 60.0  # seconds a session without a page is kept


class Session:
    """One worker, what it said, and who looks."""

    def __init__(self, worker: Worker, room: str) -> None:
        self.name = secrets.token_urlsafe(9)
        self.worker, self.room = worker, room
        self.rows: list[dict[str, Any]] = []
        self.era = 0  # grows when the rows are not a continuation of what they were
        self.latest: dict[str, tuple[int, Any]] = {}  # thing -> (version, value)
        self.version = 0
        self.watchers = 0
        self.left = time.monotonic()  # when the last page went
        self.changed = asyncio.Event()
        self.task = asyncio.ensure_future(self._pump())

    async def _pump(self) -> None:
        try:
            while True:
                self.take(await self.worker.hear())
        except WorkerEnded as end:
            if "over" not in self.latest:
                self.take({"over": {"error": str(end)}})

    def take(self, said: dict[str, Any]) -> None:
        """Remember what the worker said, and tell the pages."""
        if said.pop("anew", False):
            self.rows, self.latest = [], {k: v for k, v in self.latest.items() if k == "over"}
            self.era += 1
        self.rows += said.pop("rows", [])
        if len(self.rows) > ROWS:
            self.rows = [*self.rows[:-1:2], self.rows[-1]]
            self.era += 1
        self.version += 1
        for thing, value in said.items():
            self.latest[thing] = (self.version, value)
        self.changed.set()
        self.changed = asyncio.Event()

    async def updates(self) -> AsyncIterator[dict[str, Any] | None]:
        """What a page has not seen; None now and then, as a sign of life."""
        era, seen, version = -1, 0, -1
        while True:
            news: dict[str, Any] = {
                k: value for k, (at, value) in self.latest.items() if at > version
            }
            if era != self.era:
                era, seen, news["anew"] = self.era, 0, True
            if len(self.rows) > seen:
                news["rows"] = self.rows[seen:]
            seen, version, changed = len(self.rows), self.version, self.changed
            if news:
                yield news
            if "over" in self.latest and version == self.version:
                return
            try:
                if version == self.version and era == self.era:
                    await asyncio.wait_for(changed.wait(), HEARTBEAT)
            except TimeoutError:
                yield None

    @property
    def abandoned(self) -> bool:
        """Whether nobody has looked for a while."""
        return self.watchers == 0 and time.monotonic() - self.left > ALONE

    @property
    def resting(self) -> bool:
        """Whether nobody looks, and it was not a reload."""
        return self.watchers == 0 and time.monotonic() - self.left > RELOAD

    async def end(self, why: str) -> None:
        """End the work."""
        await self.worker.end(why)
        with contextlib.suppress(asyncio.CancelledError):
            await self.task


class Sessions:
    """All of them, by name."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.all: dict[str, Session] = {}

    async def open(self, room: str, **order: Any) -> Session:
        """Start a session.

        Raises:
            InputError: if there are too many.
        """
        await self.sweep()
        busy = [s for s in self.all.values() if "over" not in s.latest]
        if len(busy) >= MOST:
            raise InputError(
                f"{MOST} networks are at work in this lab already; close the page of one of them"
            )
        session = Session(await Worker.start(room, self.limits), room)
        self.all[session.name] = session
        await session.worker.send(**order)
        return session

    def find(self, name: str) -> Session | None:
        """The session of that name, if it is still there."""
        return self.all.get(name)

    @property
    def watchers(self) -> int:
        """Pages that look at some session."""
        return sum(s.watchers for s in self.all.values())

    async def sweep(self) -> None:
        """Let rest what nobody looks at now, and end what nobody came back to."""
        for session in self.all.values():
            if session.room == "play" and session.resting:
                await session.worker.send(do="pause")
        for session in [s for s in self.all.values() if s.abandoned]:
            del self.all[session.name]
            await session.end("nobody looked at it")

    async def close(self) -> None:
        """End all of them."""
        gone, self.all = list(self.all.values()), {}
        await asyncio.gather(*(s.end("the lab was stopped") for s in gone))

    def kill(self) -> None:
        """The same at once."""
        for session in self.all.values():
            session.worker.kill()
