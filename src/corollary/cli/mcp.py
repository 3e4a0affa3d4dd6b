"""``corollary mcp``: the tools for assistants, over the Model Context Protocol."""

import importlib.util
from pathlib import Path
from typing import Annotated

import typer


def mcp(
    folder: Annotated[Path, typer.Option(help="Only code in this folder may be examined.")] = Path(
        "."
    ),
    seconds: Annotated[float, typer.Option(help="Time limit per call.", min=0.1)] = 600.0,
    memory: Annotated[float, typer.Option(help="Memory limit per process, in GiB.", min=0.1)] = 8.0,
) -> None:
    """Serve list, show, check, examine and watch as tools for an assistant, over stdio."""
    from corollary.errors import InputError, MissingExtraError

    if importlib.util.find_spec("mcp_types") is None:  # the mcp of before version 2 has none
        raise MissingExtraError(
            "corollary mcp needs the package mcp (2 or later), which is not installed; run "
            "pip install 'corollary[mcp]'"
        )
    if not folder.is_dir():
        raise InputError(f"the folder {folder} does not exist")
    from corollary.lab.limits import GIB, Limits
    from corollary.mcp.server import serve

    serve(folder, Limits(seconds, int(memory * GIB)))
