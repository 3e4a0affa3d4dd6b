"""The lab as an ASGI application: pages, their files, and an API that speaks JSON.

Errors have one envelope, ``{"error": "one sentence"}``. Nothing here imports torch.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from corollary.errors import CorollaryError, InputError, UnknownNameError
from corollary.lab.asked import (
    claim_entry,
    json_object,
    number_of,
    options_of,
    order_of_play,
    seed_of,
    table_of,
    text_of,
    whole_of,
)
from corollary.lab.assets import assets
from corollary.lab.checkers import Checkers
from corollary.lab.guard import Guard
from corollary.lab.limits import Limits
from corollary.lab.pages import claim_page, error_page, examine_page, index_page, play_page
from corollary.lab.process import WorkerEnded
from corollary.lab.sessions import WATCHERS, Session, Sessions
from corollary.lab.settings import PlaySettings
from corollary.lab.targets import checked_data, checked_loss, checked_target
from corollary.registry import entries

SWEEP = 5.0  # seconds between looks at what is abandoned
LOSSES = ("", "cross_entropy", "mse", "bce")


class Lab:
    """Everything the server holds: limits, workers, files."""

    def __init__(self, limits: Limits, folder: Path, *, warm: bool = True) -> None:
        self.limits, self.folder, self.warm = limits, folder, warm
        self.checkers, self.sessions = Checkers(limits), Sessions(limits)
        self.assets = assets()
        self.closing = asyncio.Event()

    @contextlib.asynccontextmanager
    async def life(self, _: Starlette) -> AsyncIterator[None]:
        """Workers while the server runs, and none after."""
        tasks = [asyncio.ensure_future(self._sweep())]
        if self.warm:
            tasks.append(asyncio.ensure_future(self.checkers.warm()))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.checkers.close()
            await self.sessions.close()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP)
            with contextlib.suppress(Exception):  # one that cannot be ended must not end the rest
                await self.sessions.sweep()

    def kill(self) -> None:
        """End all workers at once."""
        self.checkers.kill()
        self.sessions.kill()

    # Pages.

    async def index(self, request: Request) -> Response:
        """Chapters and claims."""
        return HTMLResponse(index_page())

    async def claim(self, request: Request) -> Response:
        """One claim."""
        entry = claim_entry(f"{request.path_params['area']}/{request.path_params['stem']}")
        return HTMLResponse(claim_page(entry, dict(request.query_params)))

    async def short(self, request: Request) -> Response:
        """A claim by its file's own name."""
        return RedirectResponse(f"/claim/{claim_entry(request.path_params['stem']).name}", 303)

    async def play(self, request: Request) -> Response:
        """The playground."""
        return HTMLResponse(play_page(dict(request.query_params)))

    async def examine(self, request: Request) -> Response:
        """The examination."""
        return HTMLResponse(examine_page(dict(request.query_params), self.folder))

    async def static(self, request: Request) -> Response:
        """A file of the pages."""
        asset = self.assets.get(request.path_params["name"])
        if asset is None:
            raise HTTPException(404, "there is no such file")
        headers = {"etag": asset.tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == asset.tag:
            return Response(status_code=304, headers=headers)
        return Response(asset.content, media_type=asset.kind, headers=headers)

    # The API.

    async def api_entries(self, request: Request) -> Response:
        """The catalogue, with the keys of ``corollary list --json`` and the statements."""
        keys = ("name", "title", "kind", "cost", "source", "erratum", "covers", "statement")
        return JSONResponse([{k: getattr(e, k) for k in keys} for e in entries()])

    async def api_check(self, request: Request) -> Response:
        """Check a claim; a page that goes away takes its run with it."""
        asked = await json_object(request)
        entry = claim_entry(text_of(asked, "name"))
        order = {
            "do": "counterexample" if asked.get("counterexample") else "check",
            "name": entry.name,
            "options": options_of(entry, asked.get("options", {})),
            "seed": seed_of(asked.get("seed", 0)),
        }
        answer = await _while_connected(request, self.checkers.run(**order))
        if answer is None or answer.get("cancelled"):
            return Response(status_code=499)
        answer.pop("id", None)
        status = answer.pop("status", 200)
        return JSONResponse(answer, status)

    async def api_play(self, request: Request) -> Response:
        """Open a playground."""
        settings = PlaySettings.of(table_of(await json_object(request), "settings"))
        session = await self.sessions.open("play", settings=vars(settings))
        return JSONResponse({"session": session.name})

    async def api_examine(self, request: Request) -> Response:
        """Begin an examination."""
        asked = await json_object(request)
        session = await self.sessions.open("examine", **self._order(asked))
        return JSONResponse({"session": session.name})

    def _order(self, asked: dict[str, Any]) -> dict[str, Any]:
        """What ``corollary examine`` takes, within the limits and the folder."""
        loss = checked_loss(text_of(asked, "loss", ""), self.folder)
        if ":" not in loss and loss not in LOSSES:
            raise InputError(f"the loss is cross_entropy, mse, bce or file.py:name, not '{loss}'")
        return {
            "target": checked_target(text_of(asked, "target", "demo"), self.folder),
            "data": checked_data(text_of(asked, "data", ""), self.folder),
            "loss": loss,
            "lr": number_of(asked, "lr"),
            "batch_size": whole_of(asked, "batch_size"),
            "samples": whole_of(asked, "samples") or 1024,
            "budget": min(number_of(asked, "budget") or 60.0, self.limits.seconds),
            "only": [text_of(asked, "only")] if asked.get("only") else None,
            "seed": seed_of(asked.get("seed", 0)),
        }

    async def api_events(self, request: Request) -> Response:
        """What a session says, as server-sent events, from its present state on."""
        session = self._session(request)
        if self.sessions.watchers >= WATCHERS:
            raise HTTPException(503, f"{WATCHERS} pages look already; close some of them")
        headers = {"x-accel-buffering": "no", "cache-control": "no-store"}
        return StreamingResponse(
            self._events(session), media_type="text/event-stream", headers=headers
        )

    async def _events(self, session: Session) -> AsyncIterator[bytes]:
        session.watchers += 1
        news = session.updates()
        try:
            yield b"retry: 1000\n\n"
            while not self.closing.is_set():
                step = asyncio.ensure_future(anext(news, False))
                stop = asyncio.ensure_future(self.closing.wait())
                await asyncio.wait({step, stop}, return_when=asyncio.FIRST_COMPLETED)
                stop.cancel()
                if not step.done():
                    step.cancel()
                    return
                said = step.result()
                if isinstance(said, bool):  # there is no more
                    return
                yield b": alive\n\n" if said is None else _event(_shown(said))
        finally:
            session.watchers -= 1
            session.left = time.monotonic()

    async def api_session(self, request: Request) -> Response:
        """Whether a session is still there."""
        session = self._session(request)
        return JSONResponse({"session": session.name, "room": session.room})

    async def api_order(self, request: Request) -> Response:
        """Tell a playground what to do, or any session to stop."""
        session, asked = self._session(request), await json_object(request)
        do = text_of(asked, "do")
        if do == "stop":
            await session.end("it was stopped")
        elif session.room == "play":
            await session.worker.send(**order_of_play(do, asked))
        else:
            raise InputError(f"an examination can be stopped, and not '{do}'")
        return JSONResponse({"done": do})

    async def api_file(self, request: Request) -> Response:
        """The report of a finished examination, to be saved."""
        _, found = self._session(request).latest.get("file", (0, None))
        kind = request.path_params["kind"]
        if found is None or kind not in found:
            raise HTTPException(404, "this examination has no such file yet")
        content = found[kind] if kind == "html" else json.dumps(found[kind], indent=1) + "\n"
        name = f'attachment; filename="examination.{kind}"'
        media = "text/html" if kind == "html" else "application/json"
        return Response(content, media_type=media, headers={"content-disposition": name})

    def _session(self, request: Request) -> Session:
        session = self.sessions.find(request.path_params["session"])
        if session is None:
            raise HTTPException(404, "this session has ended; start it anew")
        return session

    def routes(self) -> list[Route]:
        """What is answered."""
        return [
            Route("/", self.index),
            Route("/claim/{area}/{stem}", self.claim),
            Route("/claim/{stem}", self.short),
            Route("/play", self.play),
            Route("/examine", self.examine),
            Route("/static/{name:path}", self.static),
            Route("/api/entries", self.api_entries),
            Route("/api/check", self.api_check, methods=["POST"]),
            Route("/api/play", self.api_play, methods=["POST"]),
            Route("/api/examine", self.api_examine, methods=["POST"]),
            Route("/api/sessions/{session}", self.api_session),
            Route("/api/sessions/{session}", self.api_order, methods=["POST"]),
            Route("/api/sessions/{session}/events", self.api_events),
            Route("/api/sessions/{session}/examination.{kind}", self.api_file),
        ]


def application(lab: Lab, *, token: str, port: int) -> Guard:
    """The lab behind its guard."""
    handlers: dict[Any, Any] = {
        HTTPException: _on_http,
        CorollaryError: _on_ours,
        WorkerEnded: _on_worker,
        ClientDisconnect: _on_gone,
        Exception: _on_bug,
    }
    app = Starlette(routes=lab.routes(), lifespan=lab.life, exception_handlers=handlers)
    return Guard(app, token=token, port=port)


async def _on_http(request: Request, error: HTTPException) -> Response:
    told = error.detail if error.detail[:1].islower() else f"there is no page {request.url.path}"
    told = "this address does not take that kind of request" if error.status_code == 405 else told
    return _failed(request, error.status_code, told)


async def _on_ours(request: Request, error: CorollaryError) -> Response:
    return _failed(request, 404 if isinstance(error, UnknownNameError) else 400, str(error))


async def _on_worker(request: Request, error: WorkerEnded) -> Response:
    return _failed(request, 503, str(error))


async def _on_gone(request: Request, error: ClientDisconnect) -> Response:
    return Response(status_code=499)


async def _on_bug(request: Request, error: Exception) -> Response:
    return _failed(request, 500, f"the lab itself failed ({type(error).__name__}: {error})")


def _failed(request: Request, status: int, sentence: str) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": sentence}, status)
    return HTMLResponse(error_page(status, sentence), status)


def _event(news: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(news, allow_nan=False, separators=(",", ":")).encode() + b"\n\n"


def _shown(news: dict[str, Any]) -> dict[str, Any]:
    """Of files a page is told only that they are there."""
    return news | {"file": True} if "file" in news else news


async def _while_connected(
    request: Request, work: Coroutine[Any, Any, dict[str, Any]]
) -> dict[str, Any] | None:
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
            with contextlib.suppress(asyncio.CancelledError, WorkerEnded):
                await task


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
