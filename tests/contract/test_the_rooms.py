"""Imports go one way, as the one drawing of the rooms says."""

import ast
from collections.abc import Iterator
from pathlib import Path

from draw_rooms import DISPLAY, FLOORS, PACKAGE, ROOT, redrawn

HEIGHT = {room: i for i, room in enumerate(room for floor in FLOORS for room in floor)}
ROOT_MODULES = {"__init__", "__main__"}


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        if node.module == "corollary":
            yield from (f"corollary.{alias.name}" for alias in node.names)
        yield node.module or ""
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)


def arrows(tree: ast.AST, function: str = "") -> Iterator[tuple[str, str]]:
    """The rooms that are imported, each with the function that does it."""
    for node in ast.iter_child_nodes(tree):
        for name in imported(node):
            if name.startswith("corollary."):
                yield name.split(".")[1], function
        yield from arrows(node, node.name if isinstance(node, ast.FunctionDef) else function)


def wrong_arrows(room: str, text: str) -> list[str]:
    found = []
    for other, function in arrows(ast.parse(text)):
        display = other == "report" and function in DISPLAY
        if other in HEIGHT and HEIGHT[other] > HEIGHT[room] and not display:
            found.append(f"{room} imports {other}")
    return found


def sources() -> Iterator[tuple[Path, str]]:
    for path in PACKAGE.rglob("*.py"):
        if room_of(path) in HEIGHT:
            yield path, path.read_text("utf-8")


def test_imports_go_down_or_to_the_left():
    wrong = {path: wrong_arrows(room_of(path), text) for path, text in sources()}
    assert not {path: found for path, found in wrong.items() if found}


def test_an_arrow_that_goes_up_is_seen():
    assert wrong_arrows("theory", "from corollary.core import Claim") == ["theory imports core"]
    assert wrong_arrows("run", "def late():\n    import corollary.report.svg")
    assert not wrong_arrows("run", "def show(self):\n    import corollary.report.svg")
    assert wrong_arrows("run", "def show(self):\n    import corollary.cli")


def test_theory_knows_nothing_but_errors():
    for path, text in sources():
        if room_of(path) == "theory":
            known = {other for other, _ in arrows(ast.parse(text))}
            assert known <= {"theory", "errors", "lazily"}, path  # lazily: the names of a facade


def test_every_folder_is_a_room_and_nothing_inside_uses_the_doors():
    assert {p.parent.name for p in PACKAGE.glob("*/__init__.py")} <= set(HEIGHT)
    doors = {p.stem for p in PACKAGE.glob("*.py")} - set(HEIGHT) - ROOT_MODULES
    for path, text in sources():
        assert not doors & {other for other, _ in arrows(ast.parse(text))}, path


def test_the_drawing_in_contributing_is_this_one():
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert page == redrawn(page), "run: python tools/draw_rooms.py"
