"""The catalogue as a whole: names, and what is imported when."""

import subprocess
import sys
from collections import Counter

import pytest

import corollary
from corollary.registry import entries, places
from corollary.suites import suite, suites

HEAVY = ("torch", "numpy", "scipy", "matplotlib", "sklearn", "numba")


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


LIGHT = ("--help", "list", "show novikoff", "check --help", "map novikoff", "course lucchi-2025/5")


@pytest.mark.parametrize("words", [w.split() for w in LIGHT], ids=LIGHT)
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


def test_examine_is_the_function_whatever_of_its_room_is_imported():
    import inspect

    import corollary.examine.child  # noqa: F401

    assert "budget" in inspect.signature(corollary.examine).parameters
