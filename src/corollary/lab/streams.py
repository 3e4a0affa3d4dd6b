"""Answers that take time: events until there are no more, work until the page goes away."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from corollary.lab.limits import Busy
from corollary.lab.process import WorkerEnded
from corollary.lab.sessions import Session
from corollary.lab.state import Lab

Told = dict[str, Any]


class Events(StreamingResponse):
    """The events of a session, for a page that counts as watching from the first moment on.

    The stream itself begins after the head of the answer was sent: counted there, a burst of pages
    would pass the limit before the first of them counts.
    """

    def __init__(self, lab: Lab, session: Session) -> None:
        super().__init__(
            events(session, lab.closing),
            media_type="text/event-stream",
            headers={"x-accel-buffering": "no", "cache-control": "no-store"},
        )
        self.lab, self.session = lab, session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Speak ASGI."""
        with self.lab.sessions.watching(self.session):
            await super().__call__(scope, receive, send)


async def events(session: Session, closing: asyncio.Event) -> AsyncIterator[bytes]:
    """What a session says to one page, until it is over or the lab is ``closing``."""
    news = session.updates()
    stop = asyncio.ensure_future(closing.wait())
    try:
        while not closing.is_set():
            step = asyncio.ensure_future(anext(news, False))
            await asyncio.wait({step, stop}, return_when=asyncio.FIRST_COMPLETED)
            if not step.done():
                step.cancel()
                return
            said = step.result()
            if isinstance(said, bool):  # there is no more
                return
            yield b": alive\n\n" if said is None else _event(said)
    finally:
        stop.cancel()


def _event(news: Told) -> bytes:
    shown = news | {"file": True} if "file" in news else news  # that it is there is enough
    return b"data: " + json.dumps(shown, allow_nan=False, separators=(",", ":")).encode() + b"\n\n"


async def while_connected(request: Request, work: Coroutine[Any, Any, Told]) -> Told | None:
    """What ``work`` gives; None if the page goes away before, which ends the work."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        return await task if task.done() else None
    finally:
        gone.cancel()
        if not task.done():
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, WorkerEnded, Busy):
                await task


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
