"""Answers that take time: events until there are no more, work until the page goes away."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from starlette.requests import Request

from corollary.lab.limits import Busy
from corollary.lab.process import WorkerEnded
from corollary.lab.sessions import Session

Told = dict[str, Any]


async def events(session: Session, closing: asyncio.Event) -> AsyncIterator[bytes]:
    """What a session says to one page, until it is over or the lab is ``closing``."""
    news = session.updates()
    stop = asyncio.ensure_future(closing.wait())
    with session.watched():
        try:
            yield b"retry: 1000\n\n"
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
