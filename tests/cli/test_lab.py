"""``corollary lab`` before it starts: help, limits, what is missing."""

import importlib.util
import subprocess
import sys

import pytest

from corollary.cli import main


@pytest.fixture
def call(monkeypatch, capsys):
    def run(*words):
        monkeypatch.setattr("sys.argv", ["corollary", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        return stop.value.code or 0, out, err

    return run


def test_help_names_the_options_and_imports_no_torch():
    code = (
        "import sys\nfrom corollary.cli import main\nsys.argv = ['corollary', 'lab', '--help']\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print([m for m in ('torch', 'numpy', 'starlette', 'uvicorn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")
    for option in ("--port", "--no-browser", "--seconds", "--memory"):
        assert option in done.stdout


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_a_missing_extra_is_one_sentence(call, monkeypatch, package):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec",
        lambda name, *more: None if name == package else find(name, *more),
    )
    code, _, err = call("lab")
    assert code == 2
    assert err == (
        f"corollary: the lab needs {package}, which is not installed; run "
        "pip install 'corollary[lab]'\n"
    )


@pytest.mark.parametrize("words", [("--port", "70000"), ("--memory", "0"), ("--seconds", "0")])
def test_limits_out_of_range_are_refused(call, words):
    assert call("lab", *words)[0] == 2


def test_the_limits_reach_the_server(call, monkeypatch):
    seen = {}
    pytest.importorskip("uvicorn")
    monkeypatch.setattr(
        "corollary.lab.server.serve", lambda port, limits, browser: seen.update(vars(limits))
    )
    call("lab", "--seconds", "7", "--memory", "0.5")
    assert seen == {"seconds": 7.0, "memory": 2**29}
