"""Who may talk to the lab: this machine, this browser, these pages.

A page of another site can make a browser send requests here, and a name of another site can be made
to point here. So every request must name this very host, carry the cookie that the address printed
at the start gave to the browser, and, if it changes anything, come from our own page.
"""

import hmac
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY = 1 << 20  # bytes of a request
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
WHERE = "open the address that `corollary lab` printed when it started"


class Guard:
    """Lets a request through to ``app``, or answers it with one sentence."""

    def __init__(self, app: ASGIApp, *, token: str, port: int) -> None:
        self.app, self.token = app, token
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self.cookie = f"corollary-lab-{port}"  # cookies do not know of ports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Speak ASGI."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":  # there are none in the lab
            await send({"type": "websocket.close", "code": 1008})
        else:
            refusal = self._refusal(scope)
            if refusal is None:
                await self.app(scope, _counted(receive), _with_headers(send))
            else:
                await refusal(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return _answer(scope, 421, "the lab answers to its own address alone")
        safe = scope["method"] in ("GET", "HEAD")
        if not safe and not self._is_ours(headers.getlist("origin")):
            return _answer(scope, 403, "a request that starts work must come from the lab's page")
        words = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in words if name == "token"]
        if given:
            return self._admission(scope, given[0], words)
        if not self._same(_cookie(headers, self.cookie)):
            return _answer(scope, 401, f"the lab does not know this browser; {WHERE}")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 9 or int(length) > BODY:
            return _answer(scope, 413, f"a request may have {BODY} bytes")
        return None

    def _admission(self, scope: Scope, token: str, words: list[tuple[str, str]]) -> Response:
        """The token of the printed address becomes a cookie, and leaves the address."""
        if not self._same(token):
            return _answer(scope, 401, f"the token in the address is not the lab's; {WHERE}")
        rest = urlencode([(name, value) for name, value in words if name != "token"])
        path = "/" + scope["path"].lstrip("/")  # never //host, which is another site
        answer = Response(
            status_code=303, headers={"location": path + (f"?{rest}" if rest else "")}
        )
        answer.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", path="/")
        return answer

    def _is_ours(self, origins: list[str]) -> bool:
        return len(origins) == 1 and origins[0].lower() in {f"http://{h}" for h in self.hosts}

    def _same(self, token: str) -> bool:
        return hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode())


def _cookie(headers: Headers, name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found else ""


def _answer(scope: Scope, status: int, sentence: str) -> Response:
    if scope["path"].startswith("/api/"):
        return JSONResponse({"error": sentence}, status)
    return PlainTextResponse(f"corollary: {sentence}\n", status)


def _counted(receive: Receive) -> Receive:
    """The same, until more has come than may: a body need not say how long it is."""
    taken = 0

    async def count() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > BODY:
            raise HTTPException(413, f"a request may have {BODY} bytes")
        return message

    return count


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
