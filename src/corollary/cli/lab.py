"""``corollary lab``: a local web page on which claims run and networks train."""

import importlib.util
from typing import Annotated

import typer


def lab(
    port: Annotated[
        int, typer.Option(help="Port on this machine; 0 for any free port.", min=0, max=65535)
    ] = 8765,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in your browser.")
    ] = True,
    seconds: Annotated[float, typer.Option(help="Time limit per run.", min=0.1)] = 120.0,
    memory: Annotated[float, typer.Option(help="Memory limit per process, in GiB.", min=0.1)] = 4.0,
) -> None:
    """Open the lab in a browser: claims with sliders, a playground, examinations."""
    from corollary.errors import MissingExtraError

    for package in ("starlette", "uvicorn"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(
                f"the lab needs {package}, which is not installed; run pip install 'corollary[lab]'"
            )
    from corollary.lab.limits import GIB, Limits
    from corollary.lab.server import serve

    serve(port, Limits(seconds, int(memory * GIB)), browser=browser)
