"""The lab as an ASGI application: pages and an API behind a guard, and a sentence for every error.

Errors of the API have one envelope, ``{"error": "one sentence"}``. Nothing here imports torch.
"""

from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from corollary.errors import CorollaryError, UnknownNameError
from corollary.lab.api import Api
from corollary.lab.guard import Guard
from corollary.lab.limits import Busy
from corollary.lab.page_routes import PageRoutes
from corollary.lab.pages import error_page
from corollary.lab.process import WorkerEnded
from corollary.lab.state import Lab

LATER = {"retry-after": "5"}  # seconds


def application(lab: Lab, *, port: int) -> Guard:
    """The lab behind its guard."""
    handlers: dict[Any, Any] = {
        HTTPException: _on_http,
        CorollaryError: _on_ours,
        WorkerEnded: _on_worker,
        Busy: _on_busy,
        ClientDisconnect: _on_gone,
        Exception: _on_bug,
    }
    routes = [*PageRoutes(lab).routes(), *Api(lab, port).routes()]
    app = Starlette(routes=routes, lifespan=lab.life, exception_handlers=handlers)
    return Guard(app, entrance=lab.entrance, port=port)


async def _on_http(request: Request, error: HTTPException) -> Response:
    told = error.detail if error.detail[:1].islower() else f"there is no page {request.url.path}"
    told = "this address does not accept this method" if error.status_code == 405 else told
    return _failed(request, error.status_code, told)


async def _on_ours(request: Request, error: CorollaryError) -> Response:
    return _failed(request, 404 if isinstance(error, UnknownNameError) else 400, str(error))


async def _on_worker(request: Request, error: WorkerEnded) -> Response:
    return _failed(request, 503, str(error))


async def _on_busy(request: Request, error: Busy) -> Response:
    answer = _failed(request, 503, str(error))
    answer.headers.update(LATER)
    return answer


async def _on_gone(request: Request, error: ClientDisconnect) -> Response:
    return Response(status_code=499)


async def _on_bug(request: Request, error: Exception) -> Response:
    return _failed(request, 500, f"internal error of the lab ({type(error).__name__}: {error})")


def _failed(request: Request, status: int, sentence: str) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": sentence}, status)
    return HTMLResponse(error_page(status, sentence), status)
