"""Connections: what is not sent to its end is dropped, and pages that watch are counted."""

import asyncio
import json

import pytest

from corollary.lab import connection, guard, sessions
from corollary.lab.entrance import KEY_HEADER
from corollary.lab.guard import cookie_name
from corollary.lab.limits import Limits
from corollary.lab.process import WorkerEnded
from corollary.lab.server import Server, listening
from corollary.lab.sessions import WATCHERS, Session
from corollary.lab.state import Lab


class Silent:
    """A worker that says nothing until it is ended."""

    def __init__(self):
        self.gone = asyncio.Event()

    async def hear(self):
        await self.gone.wait()
        raise WorkerEnded("the process ended: stopped")

    async def send(self, **order):
        pass

    async def end(self, why=""):
        self.gone.set()

    def kill(self):
        pass


def with_server(tmp_path, work):
    """Do ``work(server, headers)`` beside a lab that answers on a real socket."""

    async def live():
        taken = listening(0)
        server = Server(Lab(Limits(), tmp_path, warm=False), taken.getsockname()[1])
        running = asyncio.ensure_future(server.serve(sockets=[taken]))
        while not server.started:
            await asyncio.sleep(0.01)
        cookie, key = server.lab.entrance.admit(server.lab.entrance.new_token())
        here = f"127.0.0.1:{server.port}"
        headers = (
            f"Host: {here}\r\nOrigin: http://{here}\r\n"
            f"Cookie: {cookie_name(server.port)}={cookie}\r\n{KEY_HEADER}: {key}\r\n"
        )
        try:
            await work(server, headers)
        finally:
            server.should_exit = True
            server.lab.closing.set()
            await running

    asyncio.run(live())


async def sent(server, text):
    """A connection on which ``text`` was sent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(text.encode())
    await writer.drain()
    return reader, writer


@pytest.mark.parametrize("part", ["", "GET", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: x"])
def test_half_of_a_request_is_dropped_after_a_time(tmp_path, monkeypatch, part):
    monkeypatch.setattr(connection, "SECONDS", 0.5)

    async def work(server, headers):
        reader, writer = await sent(server, part)
        assert await asyncio.wait_for(reader.read(), 20) == b""
        writer.close()

    with_server(tmp_path, work)


def test_half_of_a_second_request_is_dropped_as_well(tmp_path, monkeypatch):
    monkeypatch.setattr(connection, "SECONDS", 0.5)

    async def work(server, headers):
        reader, writer = await sent(server, f"GET /static/icon.svg HTTP/1.1\r\n{headers}\r\nGET /")
        answer = await asyncio.wait_for(reader.read(), 20)
        assert answer.startswith(b"HTTP/1.1 200") and answer.count(b"HTTP/1.1") == 1
        writer.close()

    with_server(tmp_path, work)


def test_a_body_that_does_not_arrive_is_answered_with_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.5)

    async def work(server, headers):
        head = f"POST /api/check HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: 100\r\n"
        reader, writer = await sent(server, head + '\r\n{"name":')
        answer = await asyncio.wait_for(reader.read(), 20)
        assert answer.startswith(b"HTTP/1.1 408") and b"did not arrive" in answer
        writer.close()

    with_server(tmp_path, work)


def test_an_answer_that_takes_long_is_not_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(connection, "SECONDS", 0.2)
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.2)

    async def work(server, headers):
        session = Session(Silent(), "play")
        server.lab.sessions.all[session.name] = session
        path = f"/api/sessions/{session.name}/events"
        reader, writer = await sent(server, f"GET {path} HTTP/1.1\r\n{headers}\r\n")
        await asyncio.sleep(1.0)
        session.take({"frame": {"step": 1}})
        assert b'{"frame":{"step":1}' in await asyncio.wait_for(reader.readuntil(b"}}"), 20)
        writer.close()

    with_server(tmp_path, work)


@pytest.mark.parametrize("pages", [100, 300])
def test_a_burst_of_pages_is_let_in_up_to_the_cap(tmp_path, monkeypatch, pages):
    monkeypatch.setattr(sessions, "HEARTBEAT", 300.0)

    async def work(server, headers):
        session = Session(Silent(), "play")
        session.take({"frame": {"step": 1}})
        server.lab.sessions.all[session.name] = session
        request = f"GET /api/sessions/{session.name}/events HTTP/1.1\r\n{headers}\r\n"
        lines = await asyncio.gather(*(sent(server, request) for _ in range(pages)))
        heads = await asyncio.gather(*(reader.readuntil(b"\r\n\r\n") for reader, _ in lines))
        statuses = [int(head.split()[1]) for head in heads]
        assert statuses.count(200) == WATCHERS == session.watchers
        assert statuses.count(503) == pages - WATCHERS
        refused = next(line[0] for line, code in zip(lines, statuses, strict=True) if code == 503)
        said = json.loads(await refused.readuntil(b"}"))
        assert said["error"].startswith(f"{WATCHERS} pages of this lab are open already; close ")
        for _, writer in lines:
            writer.close()
        while session.watchers:  # who leaves makes room
            await asyncio.sleep(0.01)

    with_server(tmp_path, work)
