"""The server: tools over standard input and output, with one sentence for every error."""

import asyncio
import os
import signal
import sys
import traceback
from pathlib import Path
from types import FrameType
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from corollary import __version__
from corollary.errors import CorollaryError, one_line
from corollary.lab.limits import Busy, Limits
from corollary.lab.process import WorkerEnded
from corollary.mcp.place import Place
from corollary.mcp.schemas import description, input_schema, made, output_schema
from corollary.mcp.tools import TOOLS

INSTRUCTIONS = (
    "Deep-learning theory as code, and diagnosis of PyTorch networks. To debug a network, "
    "call examine with its data and with a function that builds it, such as net.py:build in "
    "the folder. Each finding names the claims behind it; the tool show explains a claim, "
    "and the tool check tests it on a fresh instance."
)
INTERRUPTED = 130


def serve(folder: Path, limits: Limits) -> None:
    """Answer until standard input ends; targets are searched only in ``folder``."""
    os.chdir(folder)
    signal.signal(signal.SIGINT, _end)  # reading standard input cannot be cancelled otherwise
    asyncio.run(_serve(Place(folder.resolve(), limits)))


async def _serve(place: Place) -> None:
    server = application(place)
    async with place.life(), stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def application(place: Place) -> Server[Any]:
    """The tools behind the protocol."""

    async def list_tools(context: Any, asked: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=offered())

    async def call_tool(context: Any, asked: CallToolRequestParams) -> CallToolResult:
        if asked.name not in TOOLS:
            known = ", ".join(TOOLS)
            raise MCPError(
                INVALID_PARAMS, one_line(f"there is no tool '{asked.name}'; the tools are {known}")
            )
        try:
            tool = made(TOOLS[asked.name], asked.arguments or {})
            answer = await tool.answer(place, context.session.report_progress)
        except (CorollaryError, WorkerEnded, Busy) as error:
            return _failed(str(error))
        except Exception as error:
            traceback.print_exc()
            return _failed(f"this is a bug in corollary: {type(error).__name__}: {error}")
        return CallToolResult(content=[_text(answer.text)], structured_content=answer.data)

    return Server(
        "corollary",
        version=__version__,
        title="corollary",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def offered() -> list[Tool]:
    """The description of the tools for a client."""
    return [
        Tool(
            name=name,
            description=description(tool),
            input_schema=input_schema(tool),
            output_schema=output_schema(tool.schema),
            annotations=ToolAnnotations(
                read_only_hint=name != "examine",  # code of the folder may write files
                open_world_hint=name == "examine",
            ),
        )
        for name, tool in TOOLS.items()
    ]


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)


def _failed(sentence: str) -> CallToolResult:
    return CallToolResult(content=[_text(one_line(sentence))], is_error=True)


def _end(number: int, frame: FrameType | None) -> None:
    """Handle Ctrl-C; the workers notice that this process has ended, and end too."""
    print("corollary: interrupted", file=sys.stderr, flush=True)
    os._exit(INTERRUPTED)
