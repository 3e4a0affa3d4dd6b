"""Addresses that a person opens: the pages, and the files they are made of."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from corollary.lab.pages import (
    claim_page,
    claims_page,
    enter_page,
    examine_page,
    play_page,
    watch_page,
)
from corollary.lab.request_body import claim_entry
from corollary.lab.state import Lab
from corollary.lab.story_pages import home_page, story_page


class PageRoutes:
    """Answers with HTML."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab

    def routes(self) -> list[Route]:
        """The routes."""
        return [
            Route("/", self.home),
            Route("/story/{name}", self.story),
            Route("/claims", self.claims),
            Route("/claim/{area}/{stem}", self.claim),
            Route("/claim/{stem}", self.short),
            Route("/play", self.play),
            Route("/examine", self.examine),
            Route("/watch", self.watch),
            Route("/static/{name:path}", self.static),
        ]

    async def home(self, request: Request) -> Response:
        """The stories; at first the page that trades the token of the address."""
        return HTMLResponse(enter_page() if "token" in request.query_params else home_page())

    async def story(self, request: Request) -> Response:
        """One story."""
        name, query = request.path_params["name"], dict(request.query_params)
        return HTMLResponse(story_page(name, query, runs=_inside(request)))

    async def claims(self, request: Request) -> Response:
        """All claims by area, behind a search field."""
        return HTMLResponse(claims_page())

    async def claim(self, request: Request) -> Response:
        """One claim."""
        entry = claim_entry(f"{request.path_params['area']}/{request.path_params['stem']}")
        return HTMLResponse(claim_page(entry, dict(request.query_params), runs=_inside(request)))

    async def short(self, request: Request) -> Response:
        """A claim by its file's own name."""
        return RedirectResponse(f"/claim/{claim_entry(request.path_params['stem']).name}", 303)

    async def play(self, request: Request) -> Response:
        """The playground."""
        return HTMLResponse(play_page(dict(request.query_params), runs=_inside(request)))

    async def examine(self, request: Request) -> Response:
        """The examination."""
        return HTMLResponse(examine_page(dict(request.query_params)))

    async def watch(self, request: Request) -> Response:
        """A training run, followed while it continues."""
        return HTMLResponse(watch_page(dict(request.query_params)))

    async def static(self, request: Request) -> Response:
        """A file of the pages."""
        asset = self.lab.assets.get(request.path_params["name"])
        if asset is None:
            raise HTTPException(404, "there is no such file")
        headers = {"etag": asset.tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == asset.tag:
            return Response(status_code=304, headers=headers)
        return Response(asset.content, media_type=asset.kind, headers=headers)


def _inside(request: Request) -> bool:
    """Whether the address was opened on a page of the lab: any other link must run nothing."""
    return request.headers.get("sec-fetch-site") == "same-origin"
