"""Who may talk to the lab: this machine, this browser, these pages.

A page of another site can make a browser send requests here, and a name of another site can be made
to point here. So every request must name this very host; one that changes anything must come from
our own page; a page needs the cookie, and the API also the key that the browser got with it.
"""

import asyncio
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from corollary.lab.entrance import KEY_HEADER, Entrance

BODY = 1 << 20  # bytes of a request
BODY_SECONDS = 10.0  # in which a request must arrive
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
UNKNOWN = (
    "the lab does not know this browser; open the address that `corollary lab` printed, or press "
    "Enter in its terminal to get a new address"
)
NOT_OURS = "a request that starts work must come from a page of the lab"


class Guard:
    """Lets a request through to ``app``, or answers it with one sentence."""

    def __init__(self, app: ASGIApp, *, entrance: Entrance, port: int) -> None:
        self.app, self.entrance = app, entrance
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self.cookie = cookie_name(port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Speak ASGI."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":  # there are none in the lab
            await send({"type": "websocket.close", "code": 1008})
        else:
            refusal = self._refusal(scope)
            if refusal is None:
                await self.app(scope, _bounded(receive), _with_headers(send))
            else:
                await refusal(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return _answer(scope, 421, _not_here(hosts))
        if scope["method"] not in ("GET", "HEAD") and not self._from_our_page(headers):
            return _answer(scope, 403, NOT_OURS)
        if not _public(scope) and not self._knows(scope, headers):
            return _answer(scope, 401, UNKNOWN)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 9 or int(length) > BODY:
            return _answer(scope, 413, f"a request may have at most {BODY} bytes")
        return None

    def _from_our_page(self, headers: Headers) -> bool:
        origins = headers.getlist("origin")
        ours = len(origins) == 1 and origins[0].lower() in {f"http://{h}" for h in self.hosts}
        return ours and headers.get("sec-fetch-site", "same-origin") == "same-origin"

    def _knows(self, scope: Scope, headers: Headers) -> bool:
        is_api = scope["path"].startswith("/api/")
        key = headers.get(KEY_HEADER, "") if is_api else None
        return self.entrance.knows(_cookies(headers, self.cookie), key)


def cookie_name(port: int) -> str:
    """The name of the lab's cookie, which carries the port because cookies have none."""
    return f"corollary-lab-{port}"


def _public(scope: Scope) -> bool:
    """What a browser needs to get in: the page that trades the token, and files of the package."""
    words = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
    entering = scope["path"] == "/" and "token" in words
    return entering or scope["path"] == "/api/enter" or scope["path"].startswith("/static/")


def _cookies(headers: Headers, name: str) -> Iterator[str]:
    """The values of a cookie; those of other programs may have any form and are passed over."""
    for part in "; ".join(headers.getlist("cookie")).split(";"):
        found, _, value = part.strip().partition("=")
        if found == name:
            yield value


def _not_here(hosts: list[str]) -> str:
    got = ", ".join(hosts)[:100] or "nothing"
    return (
        "expected the address that `corollary lab` printed, got host "
        f"{got}; open the printed address"
    )


def _answer(scope: Scope, status: int, sentence: str) -> Response:
    if scope["path"].startswith("/api/"):
        return JSONResponse({"error": sentence}, status)
    return PlainTextResponse(f"corollary: {sentence}\n", status)


def _bounded(receive: Receive) -> Receive:
    """The same, but a body that is too long or does not arrive in time ends the request."""
    taken, ends, complete = 0, asyncio.get_running_loop().time() + BODY_SECONDS, False

    async def bounded() -> Message:
        nonlocal taken, complete
        if complete:  # what may still come is that the page goes away
            return await receive()
        try:
            async with asyncio.timeout_at(ends):
                message = await receive()
        except TimeoutError:
            sentence = f"the request did not arrive within {BODY_SECONDS:g} seconds"
            raise HTTPException(408, sentence) from None
        complete = not message.get("more_body", False)
        taken += len(message.get("body", b""))  # a body need not say how long it is
        if taken > BODY:
            raise HTTPException(413, f"a request may have at most {BODY} bytes")
        return message

    return bounded


def _with_headers(send: Send) -> Send:
    async def add(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept: list[Any] = list(message.get("headers", []))
            known = {name.lower() for name, _ in kept}
            kept += [
                (k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in known
            ]
            if b"cache-control" not in known:
                kept.append((b"cache-control", b"no-store"))
            message = {**message, "headers": kept}
        await send(message)

    return add
