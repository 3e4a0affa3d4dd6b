"""A real browser that was let in, and what others make it do: nothing runs without a person."""

import http.client
import importlib.util
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("lab_browser", Path(__file__).parent / "browser.py")
browser = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(browser)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browser.CHROMIUM is None, reason="chromium is not installed"),
]
GIFT = """
from pathlib import Path
with Path(__file__).with_name("ran").open("a") as file:
    file.write(__name__ + "\\n")
def build():
    import torch
    return torch.nn.Linear(2, 2), (torch.randn(8, 2), torch.zeros(8).long())
"""
LINKS = (
    "/examine?target=gift.py:build&go",
    "/claim/connectionism/novikoff?n=300&go",
    "/play?data=xor&go",
)
ATTACK = Path(__file__).with_name("hostile.html")


class Hostile(BaseHTTPRequestHandler):
    """Another server of this machine; it keeps the cookies that it is sent."""

    def do_GET(self):
        self.server.cookies.append(self.headers.get("cookie", ""))
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(self.server.page.encode())

    def log_message(self, *words):
        pass


@pytest.fixture
def hostile():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    server.cookies, server.page = [], ""
    server.address = f"http://127.0.0.1:{server.server_port}/"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def victim(start, tmp_path, request):
    """A browser that was let in, and a folder with files that nobody asked for."""
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in getattr(request, "param", ["gift"]):
        (folder / f"{name}.py").write_text(GIFT)
    lab = start(enters=False, folder=folder)
    found = browser.Browser(tmp_path / "profile")
    found.lab, found.home, found.ran = lab, f"http://127.0.0.1:{lab.port}", folder / "ran"
    found.go(lab.url)
    found.until("document.querySelector('.chapter') !== null")
    yield found
    found.close()


def started(page):
    """What the lab works at beside claims, after a time in which it could have started."""
    page.run("new Promise((done) => setTimeout(done, 2000))")
    words = [Path(f"/proc/{pid}/cmdline").read_text() for pid in page.lab.children()]
    return [kind for kind in ("examine", "play") for w in words if f"\0{kind}\0" in w]


def test_a_page_of_another_port_runs_nothing(victim, hostile):
    hostile.page = ATTACK.read_text().replace("PORT", str(victim.lab.port))
    victim.go(hostile.address)
    victim.until("window.tried === true")
    assert started(victim) == []
    assert victim.run("window.read === undefined")  # nothing was read either
    for link in LINKS:
        victim.go(hostile.address)
        victim.follow(victim.home + link)  # a link on the hostile page, with the lab's cookie
        victim.until("document.getElementById('tools').children.length === 1")
        assert started(victim) == [], link
    assert not victim.ran.exists()


def test_the_cookie_that_another_port_was_sent_is_of_no_use(victim, hostile):
    victim.go(hostile.address)
    cookie = hostile.cookies[-1]
    assert f"corollary-lab-{victim.lab.port}=" in cookie  # browsers do send it
    for key in ({}, {"x-corollary-key": cookie.partition("=")[2]}):
        line = http.client.HTTPConnection("127.0.0.1", victim.lab.port, timeout=60)
        headers = {"cookie": cookie, "origin": victim.home, "sec-fetch-site": "same-origin", **key}
        line.request("POST", "/api/examine", json.dumps({"target": "gift.py:build"}), headers)
        assert line.getresponse().status == 401
        line.close()
    assert started(victim) == [] and not victim.ran.exists()


@pytest.mark.parametrize("link", LINKS)
def test_a_link_from_another_program_runs_nothing(victim, link):
    victim.go(victim.home + link)
    victim.until("document.getElementById('tools').children.length === 1")
    assert started(victim) == [] and not victim.ran.exists()
    waits = "(document.getElementById('verdict') || document.getElementById('advice')).textContent"
    if "examine" in link:
        assert victim.run("document.getElementById('target').value") == "gift.py:build"
        assert victim.run("document.getElementById('stop').disabled")
    else:
        assert victim.run(waits).startswith("Press ")


@pytest.mark.parametrize("victim", [["gift", "queue", "json", "torch"]], indirect=True)
def test_files_of_the_folder_run_only_when_a_person_names_them(victim):
    victim.follow(f"{victim.home}/claim/connectionism/novikoff?n=300")
    victim.until("document.querySelector('#verdict .badge.holds') !== null")
    victim.follow(f"{victim.home}/play")
    victim.until("!document.getElementById('run').disabled")
    assert not victim.ran.exists(), victim.ran.read_text()
    victim.go(victim.home + LINKS[0])
    victim.run("document.getElementById('go').click()")
    victim.until("document.getElementById('progress').value > 0", 120)
    assert victim.ran.read_text() == "gift\n"
