"""A smoke suite for an installed package: ``python tools/smoke.py``, with the Python to be tested.

It runs from an empty folder, so that nothing of a checkout is used, and needs no extra. Each check
prints one line with its CPU seconds; the exit code is the number of checks that failed.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

CHECKS: list[Callable[[Path], str]] = []
NET = """
import torch
from torch import nn

def build():
    torch.manual_seed(0)
    x = torch.randn(64, 2)
    return nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2)), (x, (x[:, 0] > 0).long())
"""


def check(function: Callable[[Path], str]) -> Callable[[Path], str]:
    """Add a check to the suite; what it returns is printed."""
    CHECKS.append(function)
    return function


def python(folder: Path, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, without what the environment adds to its path."""
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-P", *words]
    done = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert done.returncode == code, f"exit code {done.returncode}: {said[-2000:]}"
    return done


def corollary(folder: Path, *words: str, code: int = 0) -> str:
    """What a command prints."""
    done = python(folder, "-m", "corollary", *words, code=code)
    return done.stdout if code == 0 else done.stderr


@check
def the_package_is_an_installed_one(folder: Path) -> str:
    """Its place, its size, and its plugin for pytest."""
    said = python(
        folder,
        "-c",
        "import corollary, importlib.metadata as m; print(corollary.__file__);"
        "print([e.value for e in m.entry_points(group='pytest11', name='corollary')])",
    ).stdout
    place, plugin = said.splitlines()
    assert "site-packages" in place, f"this is a checkout: {place}"
    assert plugin == "['corollary.testing.plugin']"
    size = sum(f.stat().st_size for f in Path(place).parent.rglob("*") if f.suffix != ".pyc")
    return f"{size / 2**20:.1f} MiB of files"


@check
def importing_is_light(folder: Path) -> str:
    """Under 0.15 CPU seconds, and without torch."""
    python(folder, "-c", "import corollary")  # compiles
    best = min(cpu(folder, "-c", "import corollary") for _ in range(5))
    python(folder, "-c", "import corollary, sys; assert 'torch' not in sys.modules")
    assert best < 0.15, f"{best:.2f} s"
    return f"{best:.3f} s of CPU"


@check
def help_is_fast(folder: Path) -> str:
    """Under 0.3 CPU seconds, and without torch."""
    corollary(folder, "--help")
    best = min(cpu(folder, "-m", "corollary", "--help") for _ in range(5))
    assert best < 0.3, f"{best:.2f} s"
    return f"{best:.3f} s of CPU"


@check
def the_catalogue_lists_and_explains(folder: Path) -> str:
    """``list`` and ``show``."""
    assert "perceptron" in corollary(folder, "show", "novikoff").lower()
    listed = json.loads(corollary(folder, "list", "--json"))
    return f"{len(listed)} entries" if isinstance(listed, list) else "entries listed"


@check
def every_entry_loads_without_extras(folder: Path) -> str:
    """All claims and exams can be imported."""
    code = "import corollary; print(sum(bool(e.load()) for e in corollary.entries()))"
    return python(folder, "-c", code).stdout.strip() + " entries"


@check
def claims_are_checked_and_reported_with_formulas(folder: Path) -> str:
    """``check``, and a page that renders its formulas without network."""
    corollary(folder, "check", "novikoff", "three_lines", "--json", "results.json")
    corollary(folder, "report", "results.json", "--out", "report.html")
    page = (folder / "report.html").read_text("utf-8")
    assert "katex" in page and "data:font/woff2" in page, "the formula renderer is missing"
    for link in ('src="http', 'href="http', "url(http"):
        assert link not in page, f"the page loads {link}"
    return f"a page of {len(page) // 1024} KiB"


@check
def a_network_is_examined(folder: Path) -> str:
    """``examine`` with its page and its files, on the demo and on a file."""
    (folder / "net.py").write_text(NET)
    words = ("--effort", "quick", "--only", "soundness/inputs", "--only", "trainability/units")
    assert "Will it train?" in corollary(folder, "examine", "--demo", *words)
    files = ("--out", "e.html", "--json", "e.json", "--sarif", "e.sarif", "--junit", "e.xml")
    corollary(folder, "examine", "net.py:build", *words, *files)
    assert all((folder / name).stat().st_size for name in files[1::2])
    return f"{len(json.loads((folder / 'e.json').read_text())['findings'])} findings"


@check
def other_commands_start(folder: Path) -> str:
    """A proof, and the help of every command."""
    corollary(folder, "prove", "novikoff")
    names = "lab train watch replay scale reproduce exercise course map".split()
    for name in names:
        corollary(folder, name, "--help")
    return f"{len(names)} commands"


@check
def a_missing_package_is_one_sentence(folder: Path) -> str:
    """The lab says what to install, if it is not there."""
    code = "from importlib.util import find_spec; print(find_spec('uvicorn'))"
    if python(folder, "-c", code).stdout.strip() != "None":
        return "the lab is installed"
    said = corollary(folder, "lab", code=2)
    assert "pip install 'corollary[lab]'" in said and said.count("\n") == 1, said
    return said.strip()


def cpu(folder: Path, *words: str) -> float:
    """CPU seconds of a process."""
    before = os.times()
    python(folder, *words)
    after = os.times()
    user = after.children_user - before.children_user
    return user + after.children_system - before.children_system


def main() -> int:
    """Run all checks; gives how many failed."""
    failed = 0
    for run in CHECKS:
        before = os.times()
        with tempfile.TemporaryDirectory() as folder:
            try:
                said, sign = run(Path(folder)), "✓"
            except (AssertionError, OSError, ValueError) as error:
                said, sign, failed = str(error), "✗", failed + 1
        after = os.times()
        used = after.children_user - before.children_user
        print(f"{sign} {run.__name__.replace('_', ' ')}: {said} ({used:.1f} s)", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
