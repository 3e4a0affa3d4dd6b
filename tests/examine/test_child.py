"""The process that examines: what ends it, what it leaves behind, what it is not confused by."""

import importlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from corollary.errors import InputError
from corollary.examine import child
from corollary.examine.modules import load_object

SAID = {
    "head": {"head": {"environment": {}, "subject": {}}},
    "done": {"done": True},
    "error": {"error": "no such thing"},
}


@pytest.fixture
def spoken(monkeypatch):
    """A process that says what it is told to, in place of the one that examines."""
    code = (
        "import json, os, sys, time\n"
        "pipe, order = int(sys.argv[1]), json.loads(sys.argv[2])\n"
        "os.write(pipe, order['says'].encode())\n"
        "time.sleep(order['then'])\n"
    )
    monkeypatch.setattr(child, "WORDS", ("-c", code))

    def examined(says, then=0.0):
        order = {"target": "net.py:build", "budget": 20.0, "says": says, "then": then}
        return child.examine_in_child(order)

    return examined


def lines(*names):
    return "".join(json.dumps(SAID[name]) + "\n" for name in names)


def test_it_returns_when_the_child_is_done_and_not_when_its_threads_are(spoken):
    start = time.monotonic()
    done = spoken(lines("head", "done"), then=60.0)
    assert not done.findings and time.monotonic() - start < 20


def test_it_returns_when_the_child_has_told_an_error(spoken):
    start = time.monotonic()
    with pytest.raises(InputError, match="no such thing"):
        spoken(lines("error"), then=60.0)
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("noise", ["junk\n", "[1]\n", '{"findings": 3}\n', "\xff\n", "null\n"])
def test_what_is_not_of_the_examination_cuts_it_short(spoken, noise):
    done = spoken(lines("head") + noise, then=60.0)
    assert done.findings[-1].exam == "examination/cut_short"
    assert "something other than findings" in done.findings[-1].meaning


def test_a_second_interruption_leaves_no_process_behind(spoken, monkeypatch):
    end, started = child.stop_process, []

    def interrupted_again(process, patience):
        started.append(process.pid)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)  # where an interruption would be raised
        end(process, patience)

    monkeypatch.setattr(child, "stop_process", interrupted_again)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    first = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    try:
        first.start()
        with pytest.raises(KeyboardInterrupt):  # told once all is tidy
            spoken(lines("head"), then=60.0)
    finally:
        first.join()
        signal.signal(signal.SIGINT, before)
    (pid,) = started
    assert not os.path.exists(f"/proc/{pid}")


@pytest.mark.parametrize("name", ["json", "queue", "torch"])
def test_a_file_may_be_named_like_a_module(tmp_path, monkeypatch, name):
    monkeypatch.setattr(sys, "path", [*sys.path])
    module = importlib.import_module(name)
    monkeypatch.setitem(sys.modules, name, module)  # whatever happens below
    (tmp_path / f"{name}.py").write_text("def build():\n    return 'mine'\n")
    assert load_object(f"{tmp_path / name}.py:build")() == "mine"
    assert sys.modules[name] is module
    assert importlib.util.find_spec(name).origin == module.__file__


def test_neighbours_come_before_installed_packages(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "tokenizers", raising=False)
    (tmp_path / "tokenizers.py").write_text("mine = True\n")
    (tmp_path / "net_of_mine.py").write_text("import tokenizers\nbuild = tokenizers.mine\n")
    assert load_object(f"{tmp_path}/net_of_mine.py:build") is True
    for name in ("tokenizers", "net_of_mine"):
        del sys.modules[name]


@pytest.mark.slow  # imports torch twice
def test_a_file_of_the_folder_runs_only_if_it_is_named(tmp_path):
    for name in ("json", "queue", "typing"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'a').write(__name__)\n")
    (tmp_path / "json.py").write_text("from torch import nn\nbuild = lambda: nn.Linear(2, 1)\n")
    words = ["-c", "from corollary.cli import main; main()", "examine", "json.py:build"]
    words += ["--only", "soundness/finite", "--data", "two_moons"]
    done = subprocess.run(
        [sys.executable, "-P", *words], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists()
