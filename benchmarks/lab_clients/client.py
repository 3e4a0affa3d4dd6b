"""One client: HTTP/1.1 on a connection that is kept, as a browser keeps it."""

import asyncio
import contextlib
import json
from typing import Any

from lab_clients.process import LabProcess

LINE = 16 << 20  # bytes of one event


class Refused(Exception):
    """The lab is busy and says so in a sentence (status 503)."""


class Client:
    """Requests one after the other; any status but 200 and 503 is an error."""

    def __init__(self, lab: LabProcess) -> None:
        self.lab = lab
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, path: str, body: Any = None) -> bytes:
        """The body of the answer."""
        for attempt in (1, 2):  # a connection that was kept may have been closed meanwhile
            try:
                status, headers = await self._head(method, path, body)
                break
            except (ConnectionError, asyncio.IncompleteReadError):
                kept = self.reader is not None
                await self.close()
                if attempt == 2 or not kept:
                    raise
        assert self.reader is not None
        content = await self.reader.readexactly(int(headers["content-length"]))
        if status == 503:
            raise Refused(json.loads(content)["error"])
        if status != 200:
            raise RuntimeError(f"{method} {path}: {status} {content[:200]!r}")
        return content

    async def post(self, path: str, **body: Any) -> dict[str, Any]:
        """The answer to an order."""
        answer: dict[str, Any] = json.loads(await self.ask("POST", path, body))
        return answer

    async def watch(self, session: str, events: int) -> None:
        """Read that many events of a session, then leave."""
        status, _ = await self._head("GET", f"/api/sessions/{session}/events", None)
        assert self.reader is not None
        try:
            if status == 503:
                raise Refused("too many pages")
            while events:
                line = await self.reader.readline()
                if not line:
                    raise ConnectionError("the stream ended")
                events -= line.startswith(b"data: ")
        finally:
            await self.close()

    async def close(self) -> None:
        """Leave the connection."""
        if self.writer is not None:
            self.writer.close()
            with contextlib.suppress(ConnectionError):
                await self.writer.wait_closed()
        self.reader = self.writer = None

    async def _head(self, method: str, path: str, body: Any) -> tuple[int, dict[str, str]]:
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(
                "127.0.0.1", self.lab.port, limit=LINE
            )
        assert self.reader is not None
        content = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"content-length: {len(content)}"]
        lines += [f"{name}: {value}" for name, value in self.lab.headers.items()]
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + content)
        await self.writer.drain()
        first, *rest = (await self.reader.readuntil(b"\r\n\r\n")).decode().splitlines()
        pairs = (line.partition(":") for line in rest if line)
        return int(first.split()[1]), {name.lower(): value.strip() for name, _, value in pairs}
