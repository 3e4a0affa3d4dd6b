"""Exit codes mean one thing, whatever becomes of standard output."""

import os
import signal
import subprocess
import sys

import pytest

from corollary.cli import main
from corollary.cli.output import CLOSED_PIPE, FAULT

COMMAND = [sys.executable, "-c", "from corollary.cli import main; main()"]
LIGHT = [["list"], ["--help"], ["show", "novikoff"], ["--version"]]


@pytest.mark.parametrize("words", LIGHT, ids=" ".join)
def test_a_reader_that_has_seen_enough_is_no_refutation(words):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*COMMAND, *words], stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (CLOSED_PIPE, b"")


@pytest.mark.parametrize("words", LIGHT, ids=" ".join)
def test_a_full_disk_is_one_sentence(words):
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("corollary: standard output cannot be written (No space left")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_signs_that_a_terminal_lacks_are_replaced(encoding):
    env = os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run([*COMMAND, "show", "novikoff"], env=env, capture_output=True)
    assert done.returncode == 0 and b"Novikoff (1962)" in done.stdout and b"?" in done.stdout
    assert done.stderr == b""


def ending(monkeypatch, capsys, error):
    def work(*args, **kwargs):
        raise error

    monkeypatch.setattr("corollary.report.catalogue_facts.entries", work)
    monkeypatch.setattr("sys.argv", ["corollary", "list"])
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code, capsys.readouterr().err


def test_an_interruption_is_130_and_a_sentence(monkeypatch, capsys):
    code, err = ending(monkeypatch, capsys, KeyboardInterrupt())
    assert (code, err) == (130, "corollary: interrupted\n")


def test_a_fault_of_ours_is_not_a_refutation(monkeypatch, capsys):
    code, err = ending(monkeypatch, capsys, ZeroDivisionError("oh"))
    assert code == FAULT and "Traceback" in err and "bug in corollary" in err


def test_an_interruption_while_torch_is_imported_is_quiet(tmp_path):
    (tmp_path / "numpy.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(5)\n"
    )
    env = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run(
        [*COMMAND, "check", "novikoff"],
        env=env,
        capture_output=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert done.returncode == 130 and "Traceback" not in done.stderr, done.stderr
