"""The catalogue as a whole: names, arrows of imports, and what is imported when."""

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import corollary
from corollary.registry import entries, places
from corollary.suites import suite, suites

SRC = Path(corollary.__file__).parent
HEAVY = ("torch", "numpy", "scipy", "matplotlib", "sklearn", "numba")

# Lower rooms know nothing of higher ones. Rooms on one line may not import each other, except as
# listed in ALSO.
ORDER = [
    {"errors", "disk"},
    {"core", "theory"},
    {"data", "models"},
    {"train"},
    {"claims", "exams"},
    {"registry", "suites"},
    {"run"},
    {"examine"},
    {"report"},
    {"lab"},
    {"cli"},
    {"__main__"},
]
LEVEL = {room: level for level, rooms in enumerate(ORDER) for room in rooms}
ALSO = {
    ("theory", "core"),  # derived generators only
    ("core", "theory"),  # a subject is kept by theory/modules, which knows nothing of core
    ("models", "data"),
    ("data", "models"),
    ("suites", "registry"),
    # Display methods (`_repr_html_`, `show`) hand themselves to the report when they are called.
    ("core", "report"),
    ("run", "report"),
    ("examine", "report"),
    ("train", "report"),
}


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: imports are absolute"
            found.add(node.module)
            if node.module == "corollary":
                found |= {f"corollary.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name.split(".")[1] for name in found if name.startswith("corollary.")}


def test_imports_go_one_way():
    wrong = []
    for path in SRC.rglob("*.py"):
        room = path.relative_to(SRC).parts[0].removesuffix(".py")
        for other in imports(path):
            if room in LEVEL and other in LEVEL and other != room and (room, other) not in ALSO:
                if LEVEL[other] >= LEVEL[room]:
                    wrong.append(f"{path.relative_to(SRC)} imports {other}")
    assert not wrong


def test_names_are_unique_within_their_area_and_file_names_are_plain():
    names = Counter(entry.name for entry in entries())
    assert max(names.values(), default=1) == 1
    assert all(entry.stem.isidentifier() and entry.stem.islower() for entry in entries())


def test_every_slug_covered_by_a_claim_is_on_the_map():
    known = {place.slug for place in places()}
    assert {slug for entry in entries() for slug in entry.covers} <= known


@pytest.mark.parametrize("name", suites())
def test_every_suite_has_claims(name):
    assert suite(name)


@pytest.mark.parametrize("words", [["--help"], ["list"], ["show", "novikoff"], ["check", "--help"]])
def test_the_light_commands_import_nothing_heavy(words):
    code = (
        "import sys\n"
        "from corollary.cli import app\n"
        f"sys.argv = ['corollary'] + {words!r}\n"
        "try:\n    app()\nexcept SystemExit as stop:\n    assert not stop.code, stop.code\n"
        f"print('HEAVY', [m for m in {HEAVY!r} if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("HEAVY []"), done.stdout[-300:]


def test_importing_the_package_imports_nothing_heavy():
    code = f"import sys, corollary; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", corollary.__all__)
def test_every_public_name_loads(name):
    assert getattr(corollary, name) is not None
