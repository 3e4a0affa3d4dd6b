"""Long-running work that pages follow: a training run, an examination.

A session holds what a page needs to show it from the start: rows of numbers, thinned when there are
many, and the newest of each other thing. Pages that read slowly miss frames, never the newest one;
pages that come back see the state as it is.
"""

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

from corollary.lab.limits import Busy, Limits
from corollary.lab.process import Worker, WorkerEnded

ROWS = 2000  # beyond this every second row is dropped
MOST = 6  # sessions at work at a time
KEPT = 20  # sessions that are over and can still be looked at
WATCHERS = 40  # pages at a time
HEARTBEAT = 10.0  # seconds between signs of life
RELOAD = 5.0  # seconds in which a page that is loaded again comes back
ALONE = 60.0  # seconds a session at work is kept without a page
OVER = 3600.0  # seconds one that is over is kept: its files can be saved


class Session:
    """One worker, its messages, and the pages that follow it."""

    def __init__(self, worker: Worker, kind: str) -> None:
        self.name = secrets.token_urlsafe(9)
        self.worker, self.kind = worker, kind
        self.rows: list[dict[str, Any]] = []
        self.era = 0  # grows when the rows are not a continuation of what they were
        self.latest: dict[str, tuple[int, Any]] = {}  # thing -> (version, value)
        self.version = 0
        self.watchers = 0
        self.left = time.monotonic()  # when the last page went
        self.at_rest = False  # whether it was told to rest since then
        self.changed = asyncio.Event()
        self.task = asyncio.ensure_future(self._pump())

    async def _pump(self) -> None:
        try:
            while True:
                self.take(await self.worker.hear())
        except WorkerEnded as end:
            if not self.over:
                self.take({"over": {"error": str(end)}})

    def take(self, said: dict[str, Any]) -> None:
        """Store a message of the worker, and send it to the pages."""
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
            if self.over and version == self.version:
                return
            try:
                if version == self.version and era == self.era:
                    await asyncio.wait_for(changed.wait(), HEARTBEAT)
            except TimeoutError:
                yield None

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """While a page looks."""
        self.watchers += 1
        self.at_rest = False
        try:
            yield
        finally:
            self.watchers -= 1
            self.left = time.monotonic()

    @property
    def over(self) -> bool:
        """Whether nothing more will be said."""
        return "over" in self.latest

    @property
    def alone(self) -> float:
        """Seconds since a page looked; 0 while one does."""
        return 0.0 if self.watchers else time.monotonic() - self.left

    @property
    def abandoned(self) -> bool:
        """Whether nobody has looked for so long that nobody will come back."""
        return self.alone > (OVER if self.over else ALONE)

    async def rest(self) -> None:
        """Pause until a page looks again."""
        if self.kind == "play" and not self.at_rest:
            self.at_rest = True
            await self.worker.send(do="pause")

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
        self.starting = 0

    async def open(self, kind: str, **order: Any) -> Session:
        """Start a session.

        Raises:
            Busy: if there are too many.
        """
        await self.sweep()
        if self.starting + sum(not s.over for s in self.all.values()) >= MOST:
            raise Busy(
                f"{MOST} networks are running in this lab already; close the page of one of these "
                f"networks"
            )
        self.starting += 1
        try:
            session = Session(await Worker.start(kind, self.limits), kind)
        finally:
            self.starting -= 1
        self.all[session.name] = session
        await session.worker.send(**order)
        return session

    def find(self, name: str) -> Session | None:
        """The session of that name, if it is still there."""
        return self.all.get(name)

    @contextlib.contextmanager
    def watching(self, session: Session) -> Iterator[None]:
        """While a page looks at ``session``.

        Raises:
            Busy: if too many pages look at sessions already.
        """
        if sum(s.watchers for s in self.all.values()) >= WATCHERS:
            raise Busy(f"{WATCHERS} pages of this lab are open already; close some of these pages")
        with session.watched():
            yield

    async def sweep(self) -> None:
        """Pause sessions that nobody is watching, and end those that nobody came back to."""
        for session in list(self.all.values()):
            if session.alone > RELOAD:
                await session.rest()
        over = sorted((s for s in self.all.values() if s.over), key=lambda s: s.alone)
        for session in [s for s in self.all.values() if s.abandoned] + over[KEPT:]:
            if self.all.pop(session.name, None):
                await session.end("the page was closed")

    async def close(self) -> None:
        """End all of them."""
        gone, self.all = list(self.all.values()), {}
        await asyncio.gather(*(s.end("the lab was stopped") for s in gone))

    def kill(self) -> None:
        """The same at once."""
        for session in self.all.values():
            session.worker.kill()
