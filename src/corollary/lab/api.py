"""The API for pages and scripts, in JSON."""

import asyncio
import json
from functools import lru_cache
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from corollary.errors import InputError
from corollary.examine.folder import (
    checked_data,
    checked_loss,
    checked_record,
    checked_target,
)
from corollary.lab.entrance import MINUTES
from corollary.lab.guard import cookie_name
from corollary.lab.request_body import (
    claim_entry,
    figure_of,
    json_object,
    number_of,
    options_of,
    order_of_play,
    seed_of,
    table_of,
    text_of,
    whole_of,
)
from corollary.lab.sessions import Session
from corollary.lab.settings import PlaySettings
from corollary.lab.state import Lab
from corollary.lab.stories.catalogue import find_story
from corollary.lab.streams import Events, while_connected
from corollary.lab.synonyms import by_claim
from corollary.lab.targets import offer
from corollary.registry import entries
from corollary.report.signs import VERDICT_SIGNS
from corollary.run.journal import last_outcomes

KEYS = ("name", "title", "kind", "cost", "source", "erratum", "covers", "statement")
NO_TOKEN = (
    f"this address was used already or is older than {MINUTES} minutes; press Enter in the "
    f"terminal of `corollary lab` to get a new address, or start the lab again"
)
LOSSES = ("", "cross_entropy", "mse", "bce")


class Api:
    """Answers with JSON, and with server-sent events during a session."""

    def __init__(self, lab: Lab, port: int) -> None:
        self.lab, self.cookie = lab, cookie_name(port)

    def routes(self) -> list[Route]:
        """The routes."""
        return [
            Route("/api/enter", self.enter, methods=["POST"]),
            Route("/api/entries", self.catalogue),
            Route("/api/verdicts", self.verdicts),
            Route("/api/folder", self.folder),
            Route("/api/check", self.check, methods=["POST"]),
            Route("/api/play", self.play, methods=["POST"]),
            Route("/api/examine", self.examine, methods=["POST"]),
            Route("/api/watch", self.watch, methods=["POST"]),
            Route("/api/sessions/{session}", self.session),
            Route("/api/sessions/{session}", self.order, methods=["POST"]),
            Route("/api/sessions/{session}/events", self.events),
            Route("/api/sessions/{session}/examination.{kind}", self.file),
        ]

    async def enter(self, request: Request) -> Response:
        """Trade the token of the printed address for a cookie and the key that goes with it."""
        admitted = self.lab.entrance.admit(text_of(await json_object(request), "token"))
        if admitted is None:
            raise HTTPException(401, NO_TOKEN)
        cookie, key = admitted
        answer = JSONResponse({"key": key})
        answer.set_cookie(self.cookie, cookie, httponly=True, samesite="strict", path="/")
        return answer

    async def catalogue(self, request: Request) -> Response:
        """The catalogue, with the keys of ``corollary list --json``, statements and synonyms."""
        return Response(_catalogue(), media_type="application/json")

    async def verdicts(self, request: Request) -> Response:
        """The last verdict of each claim that was run by this user, and the sign it has."""
        last = {
            k: row.get("verdict") for k, row in last_outcomes().items() if isinstance(row, dict)
        }
        known = {k: [v, VERDICT_SIGNS[v]] for k, v in last.items() if v in VERDICT_SIGNS}
        return JSONResponse(known)

    async def folder(self, request: Request) -> Response:
        """What the folder offers to an examination; its files are read, not run."""
        found = await asyncio.to_thread(offer, self.lab.folder)
        return JSONResponse({"folder": str(self.lab.folder), **vars(found)})

    async def check(self, request: Request) -> Response:
        """Check a claim, or that of a story; the run is cancelled if its page is closed."""
        asked = await json_object(request)
        story = find_story(text_of(asked, "story")) if "story" in asked else None
        entry = claim_entry(story.claim if story else text_of(asked, "name"))
        start = {k: str(v) for k, v in story.options.items()} if story else {}
        figure = figure_of(asked)
        wanted = [do for do in ("counterexample", "proof") if asked.get(do)]
        order = {
            "do": wanted[0] if wanted else "check" if figure is None else "live",
            "figure": figure,
            "name": entry.name,
            "options": start | options_of(entry, asked.get("options", {})),
            "seed": seed_of(asked.get("seed", 0)),
        }
        run = self.lab.checkers.run(short=entry.cost == "instant", **order)
        answer = await while_connected(request, run)
        if answer is None or answer.get("cancelled"):
            return Response(status_code=499)
        answer.pop("id", None)
        status = answer.pop("status", 200)
        if story and "results" in answer:
            answer["says"] = story.says(answer["results"])
        return JSONResponse(answer, status)

    async def play(self, request: Request) -> Response:
        """Open a playground."""
        settings = PlaySettings.of(table_of(await json_object(request), "settings"))
        session = await self.lab.sessions.open("play", settings=vars(settings))
        return JSONResponse({"session": session.name})

    async def examine(self, request: Request) -> Response:
        """Begin an examination."""
        order = self._examination(await json_object(request))
        session = await self.lab.sessions.open("examine", **order)
        return JSONResponse({"session": session.name})

    async def watch(self, request: Request) -> Response:
        """Follow the record of a training run."""
        name = text_of(await json_object(request), "file", "watch.jsonl")
        record = checked_record(name, self.lab.folder)
        session = await self.lab.sessions.open("watch", file=str(record))
        return JSONResponse({"session": session.name})

    def _examination(self, asked: dict[str, Any]) -> dict[str, Any]:
        """What ``corollary examine`` takes, within the limits and the folder."""
        folder, limits = self.lab.folder, self.lab.limits
        loss = checked_loss(text_of(asked, "loss", ""), folder)
        if ":" not in loss and loss not in LOSSES:
            raise InputError(
                f"expected the loss cross_entropy, mse, bce or file.py:name, got '{loss}'"
            )
        return {
            "target": checked_target(text_of(asked, "target", "demo"), folder),
            "data": checked_data(text_of(asked, "data", ""), folder),
            "loss": loss,
            "lr": number_of(asked, "lr"),
            "batch_size": whole_of(asked, "batch_size"),
            "samples": whole_of(asked, "samples") or 1024,
            "budget": min(number_of(asked, "budget") or 60.0, limits.seconds),
            "only": [text_of(asked, "only")] if asked.get("only") else None,
            "seed": seed_of(asked.get("seed", 0)),
        }

    async def session(self, request: Request) -> Response:
        """Whether a session is still there."""
        session = self._session(request)
        return JSONResponse({"session": session.name, "kind": session.kind})

    async def order(self, request: Request) -> Response:
        """Tell a playground what to do, or any session to stop."""
        session, asked = self._session(request), await json_object(request)
        do = text_of(asked, "do")
        if do == "stop":
            await session.end("stopped")
        elif session.kind == "play":
            await session.worker.send(**order_of_play(do, asked))
        else:
            raise InputError(f"this session accepts only the command 'stop', got '{do[:40]}'")
        return JSONResponse({"done": do})

    async def events(self, request: Request) -> Response:
        """The events of a session, from its present state on."""
        return Events(self.lab, self._session(request))

    async def file(self, request: Request) -> Response:
        """The report of a finished examination, to be saved."""
        _, found = self._session(request).latest.get("file", (0, None))
        kind = request.path_params["kind"]
        if found is None or kind not in found:
            raise HTTPException(404, "this examination has not written this file yet")
        content = found[kind] if kind == "html" else json.dumps(found[kind], indent=1) + "\n"
        name = f'attachment; filename="examination.{kind}"'
        media = "text/html" if kind == "html" else "application/json"
        return Response(content, media_type=media, headers={"content-disposition": name})

    def _session(self, request: Request) -> Session:
        session = self.lab.sessions.find(request.path_params["session"])
        if session is None:
            raise HTTPException(404, "this session has ended; start a new one")
        return session


@lru_cache(maxsize=1)
def _catalogue() -> bytes:
    others = by_claim()
    rows = ({k: getattr(e, k) for k in KEYS} | {"synonyms": others[e.name]} for e in entries())
    return json.dumps(list(rows)).encode()
