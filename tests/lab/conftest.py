"""The lab behind its guard in this process, and the lab as a process of its own."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
from starlette.testclient import TestClient

from corollary.lab.app import application
from corollary.lab.entrance import KEY_HEADER
from corollary.lab.guard import cookie_name
from corollary.lab.limits import GIB, Limits
from corollary.lab.state import Lab

PORT = 8765
HERE = f"http://127.0.0.1:{PORT}"


@pytest.fixture
def make_client(tmp_path):
    """A client of a lab; with ``known=False`` one that has neither cookie nor key."""

    def make(*, known=True, origin=HERE, limits=None, folder=tmp_path):
        lab = Lab(limits or Limits(60.0, 4 * GIB), folder, warm=False)
        client = TestClient(application(lab, port=PORT), base_url=HERE, follow_redirects=False)
        client.lab = lab
        if known:
            cookie, client.headers[KEY_HEADER] = lab.entrance.admit(lab.entrance.new_token())
            client.cookies.set(cookie_name(PORT), cookie)
        if origin:
            client.headers["origin"] = origin
        return client

    return make


@pytest.fixture
def client(make_client):
    with make_client() as found:
        yield found


class Running:
    """``corollary lab`` as a user has it: a process, an address, an end."""

    def __init__(self, folder, *words, browser="--no-browser", **variables):
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-c",
                "from corollary.cli import main; main()",
                "lab",
                browser,
                "--port",
                "0",
                *words,
            ],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", **variables},
            start_new_session=True,
        )
        self.said = self.process.stdout.readline()
        self.url = re.search(r"http://\S+", self.said).group(0)
        self.port = int(re.search(r":(\d+)/", self.url).group(1))
        self.token = self.url.partition("token=")[2]
        self.headers = {"origin": f"http://127.0.0.1:{self.port}"}

    def enter(self):
        """Trade the token, as a script does."""
        answer = self.open("POST", "/api/enter", {"token": self.token})
        key = json.loads(answer.read())["key"]
        self.headers |= {"cookie": answer.headers["set-cookie"].partition(";")[0], KEY_HEADER: key}
        answer.line.close()
        return self

    def ask(self, method, path, body=None, timeout=60):
        """Status and JSON (or text) of an answer."""
        answer = self.open(method, path, body, timeout)
        text = answer.read().decode()
        answer.line.close()
        kind = answer.headers.get("content-type", "")
        return answer.status, json.loads(text) if "json" in kind else text

    def open(self, method, path, body=None, timeout=60):
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        line.request(method, path, None if body is None else json.dumps(body), self.headers)
        answer = line.getresponse()
        answer.line = line
        return answer

    def events(self, session, timeout=60):
        """What a session says, until the caller has heard enough."""
        answer = self.open("GET", f"/api/sessions/{session}/events", timeout=timeout)
        with closing(answer.line), answer:
            for line in answer:
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])

    def children(self):
        """Processes that this one started."""
        out = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z" and int(fields[1]) == self.process.pid:
                out.append(int(stat.parent.name))
        return out

    def stop(self, *signals):
        """Send signals, wait for the end, give the exit code."""
        for number in signals:
            self.process.send_signal(number)
            time.sleep(0.2)
        return self.process.wait(timeout=60)


@pytest.fixture
def start(tmp_path):
    started = []

    def run(*words, folder=tmp_path, enters=True, **variables):
        started.append(Running(folder, *words, **variables))
        return started[-1].enter() if enters else started[-1]

    yield run
    for one in started:
        if one.process.poll() is None:
            one.process.send_signal(signal.SIGKILL)
        one.process.wait()
        one.process.stdout.close()


def alive(pid):
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(true, seconds=20.0):
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends, "it did not come to pass"
        time.sleep(0.05)


@pytest.fixture
def eventually():
    return wait_until


@pytest.fixture
def is_alive():
    return alive
