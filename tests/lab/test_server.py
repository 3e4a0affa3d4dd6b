"""The lab as a process: it answers, streams, and leaves nothing behind when it ends."""

import fcntl
import os
import signal
import socket
import subprocess
import sys
import termios
from pathlib import Path

import pytest

NET = """
import os, signal, subprocess, time
import torch
from torch import nn

def build():
    torch.manual_seed(0)
    x = torch.randn(32, 2, generator=torch.Generator().manual_seed(0))
    return nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2)), (x, (x[:, 0] > 0).long())

def with_a_child():
    subprocess.Popen(["sleep", "300"])
    open("child", "w").write("started")
    time.sleep(300)

def holds_the_interpreter():
    open("busy", "w").write("started")
    return 7 ** (3 * 10**7)  # one call in C, for minutes

def dies(): os.kill(os.getpid(), signal.SIGKILL)
def broken(): raise ValueError("cannot build\\nat all")
def greedy(): torch.ones(10**12)
def asks(): return input("yes? ")
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "net.py").write_text(NET)
    return tmp_path


@pytest.mark.slow
def test_it_serves_streams_and_ends_without_orphans(start, eventually, is_alive):
    lab = start()
    assert lab.url.startswith("http://127.0.0.1:")
    session = lab.ask("POST", "/api/play", {"settings": {"hidden": "4,4"}})[1]["session"]
    events = lab.events(session)
    first = next(events)
    while "theory" not in first:
        first |= next(events)
    assert first["anew"] and first["points"]["train"] and first["frame"]["step"] == 0
    lab.ask("POST", f"/api/sessions/{session}", {"do": "run"})
    last = {}
    while last.get("frame", {}).get("step", 0) < 30:
        last = next(events)
    assert lab.ask("GET", f"/api/sessions/{session}")[1] == {"session": session, "kind": "play"}
    events.close()  # the page is loaded again: it sees all rows at once
    events = lab.events(session)
    again = next(events)
    events.close()
    assert again["anew"] and [r["step"] for r in again["rows"]][:2] == [0, 0]
    assert again["state"]["running"]

    maps = Path(f"/proc/{lab.process.pid}/maps").read_text()
    assert "torch" not in maps and "numpy" not in maps  # only workers have them
    workers = lab.children()
    assert len(workers) == 2
    assert lab.stop(signal.SIGTERM) == 143
    eventually(lambda: not any(map(is_alive, workers)))


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_ends_it_and_all_workers(start, eventually, is_alive, times):
    lab = start()
    session = lab.ask("POST", "/api/play", {"settings": {}})[1]["session"]
    stream = lab.events(session)
    next(stream)
    workers = lab.children()
    assert len(workers) == 2
    assert lab.stop(*[signal.SIGINT] * times) in (130, -signal.SIGINT)  # both are 130 in a shell
    stream.close()
    eventually(lambda: not any(map(is_alive, workers)))


def test_a_page_that_does_not_read_holds_up_nobody(start):
    lab = start()
    session = lab.ask("POST", "/api/play", {"settings": {"hidden": "32,32"}})[1]["session"]
    deaf = lab.open("GET", f"/api/sessions/{session}/events")
    pages = [lab.events(session) for _ in range(12)]
    for page in pages:
        assert next(page)["anew"]
    lab.ask("POST", f"/api/sessions/{session}", {"do": "run"})
    for page in pages:
        step = 0
        while step < 100:
            step = next(page).get("frame", {}).get("step", step)
        page.close()
    deaf.line.close()
    assert lab.ask("GET", "/")[0] == 200
    memory = Path(f"/proc/{lab.process.pid}/status").read_text()
    assert int(memory.split("VmRSS:")[1].split()[0]) < 120_000  # kB


def test_workers_end_when_the_server_is_killed(start, eventually, is_alive, folder):
    lab = start(folder=folder)
    lab.ask("POST", "/api/examine", {"target": "net.py:with_a_child"})
    eventually(lambda: (folder / "child").exists(), 60)
    workers = lab.children()
    sleepers = [
        int(pid) for pid in os.listdir("/proc") if pid.isdigit() and _is_sleep(pid, workers)
    ]
    assert sleepers
    lab.stop(signal.SIGKILL)
    eventually(lambda: not any(map(is_alive, workers + sleepers)))


def test_a_worker_that_holds_the_interpreter_ends_as_well(start, eventually, is_alive, folder):
    lab = start(folder=folder)
    lab.ask("POST", "/api/examine", {"target": "net.py:holds_the_interpreter"})
    eventually(lambda: (folder / "busy").exists(), 60)
    workers = lab.children()
    lab.stop(signal.SIGKILL)
    eventually(lambda: not any(map(is_alive, workers)))


def _is_sleep(pid, workers):
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[1]) in workers and "sleep" in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False


def over(lab, target, **more):
    """The last words of an examination, and all that was told before."""
    asked = {"target": target, "only": "soundness", "budget": 20, **more}
    status, answer = lab.ask("POST", "/api/examine", asked)
    assert status == 200, answer
    told = {}
    for news in lab.events(answer["session"], timeout=120):
        told |= news
    return answer["session"], told


def test_a_network_of_the_folder_is_examined_live(start, folder):
    lab = start(folder=folder)
    assert "net.py:build" in lab.ask("GET", "/api/folder")[1]["targets"]
    session, told = over(lab, "net.py:build")
    assert told["over"] == {"done": True}
    assert told["progress"]["done"] == told["progress"]["total"]
    (answer,) = told["page"]["answers"]
    assert answer["question"] == "Is it sound?" and " style=" not in answer["html"]
    status, page = lab.ask("GET", f"/api/sessions/{session}/examination.html")
    assert status == 200 and page.startswith("<!doctype html>")
    status, data = lab.ask("GET", f"/api/sessions/{session}/examination.json")
    assert status == 200 and data["kind"] == "examination"

    for target, said in (
        ("net.py:broken", "cannot build at all"),
        ("net.py:dies", "the process ended: out of memory"),
        ("net.py:greedy", "memory"),
        ("net.py:asks", "EOF"),
    ):
        error = over(lab, target)[1]["over"]["error"]
        assert said in error and "\n" not in error
    status, answer = lab.ask("POST", "/api/examine", {"target": "../net.py:build"})
    assert status == 400 and "must be inside the folder" in answer["error"]
    assert lab.ask("GET", "/")[0] == 200  # it stays up


def test_an_examination_can_be_stopped(start, folder, eventually):
    lab = start(folder=folder)
    session = lab.ask("POST", "/api/examine", {"target": "net.py:with_a_child"})[1]["session"]
    eventually(lambda: (folder / "child").exists(), 60)
    assert lab.ask("POST", f"/api/sessions/{session}", {"do": "stop"})[0] == 200
    told = {}
    for news in lab.events(session):
        told |= news
    assert told["over"]["error"] == "the process ended: stopped"


def test_a_port_in_use_is_one_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "from corollary.cli import main; main()",
                "lab",
                "--no-browser",
                "--port",
                port,
            ],
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 2
    assert done.stderr == (
        f"corollary: port {port} is in use; choose another with --port, or 0 for any free port\n"
    )


SPY = """
import os, sys
with open({place!r}, "a") as file:
    file.write(__name__ + " in " + " ".join(sys.argv) + "\\n")
"""


def test_files_of_the_folder_shadow_no_module(start, tmp_path):
    """Whatever is called as a module is not run, though the lab works in that folder."""
    seen = tmp_path / "seen"
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in (*sys.stdlib_module_names, "torch", "numpy", "scipy", "corollary", "jinja2"):
        if name != "__main__":
            (folder / f"{name}.py").write_text(SPY.format(place=str(seen)))
    lab = start(folder=folder)
    assert lab.ask("POST", "/api/check", {"name": "novikoff"})[1]["view"]["verdict"] == "holds"
    session = lab.ask("POST", "/api/play", {"settings": {"hidden": "3"}})[1]["session"]
    assert any("points" in news for news in lab.events(session))
    assert over(lab, "demo")[1]["over"] == {"done": True}
    assert not seen.exists(), seen.read_text()


def test_the_token_is_in_no_argument_list(start, tmp_path, eventually):
    """The browser is given a file that only this user can read."""
    command = tmp_path / "browser"
    command.write_text(
        f'#!/bin/sh\necho $$ > {tmp_path}/pid; echo "$@" > {tmp_path}/given; exec sleep 300\n'
    )
    command.chmod(0o755)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    lab = start(enters=False, browser="--browser", BROWSER=f"{command} %s", TMPDIR=str(temporary))
    eventually(lambda: (tmp_path / "given").exists() and (tmp_path / "given").read_text())
    given = (tmp_path / "given").read_text().strip()
    page = Path(given.removeprefix("file://"))
    assert given.startswith("file://") and lab.url in page.read_text()
    assert page.parent.stat().st_mode & 0o077 == 0  # nobody else can enter the folder
    for arguments in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert lab.token.encode() not in arguments.read_bytes()
        except OSError:
            continue
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    lab.stop(signal.SIGTERM)
    assert not page.exists() and list(temporary.iterdir()) == []


def test_the_lab_starts_where_no_file_can_be_written(start, tmp_path):
    lab = start(browser="--browser", BROWSER="true %s", TMPDIR=str(tmp_path / "nowhere"))
    assert lab.ask("GET", "/")[0] == 200


def test_enter_in_the_terminal_prints_a_new_address(tmp_path):
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "corollary", "lab", "--no-browser", "--port", "0"]
    lab = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    try:
        first, hint = lab.stdout.readline(), lab.stdout.readline()
        assert "Enter for a new address" in hint
        os.write(ours, b"\n")
        second = lab.stdout.readline()
        assert second.startswith("Lab: http://127.0.0.1:") and second != first
        os.write(ours, b"\x03")  # Ctrl-C is still Ctrl-C
        assert lab.wait(timeout=60) == 130
        assert "Error" not in lab.stdout.read()
    finally:
        lab.kill()
        lab.wait()
        lab.stdout.close()
        os.close(ours)
        os.close(theirs)
