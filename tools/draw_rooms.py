"""The floors of the package, lowest first: the one statement of which room may import which.

A room may import the rooms of lower floors and those to its left on its own floor; a test enforces
it. The table in CONTRIBUTING.md, which the documentation includes, is drawn from it: run ``python
tools/draw_rooms.py`` after a change.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "corollary"
FLOORS = (
    ("errors", "arguments", "theory", "core"),
    ("data", "models"),
    ("train",),
    ("registry", "suites", "claims", "proofs", "exams", "experiments", "exercises", "courses"),
    ("run",),
    ("examine", "watch"),
    ("report",),
    ("testing", "lab", "widget", "mcp", "cli"),
)
# The one exception: these methods of a result may import `report` when they are called.
DISPLAY = ("show", "save", "__str__", "__repr__", "_repr_html_")
BEGIN, END = "<!-- rooms: python tools/draw_rooms.py -->\n", "<!-- end of rooms -->\n"


def home(room: str) -> Path:
    """The folder or the file of a room."""
    return PACKAGE / room if (PACKAGE / room).is_dir() else PACKAGE / f"{room}.py"


def first_line(place: Path) -> str:
    """What a room holds: the first line of its docstring."""
    text = (place / "__init__.py" if place.is_dir() else place).read_text("utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").split("\n")[0].replace("``", "`")


def drawing() -> str:
    """The table, the highest floor first."""
    rows = ["| floor | room | what it holds |", "| --- | --- | --- |"]
    for level, floor in reversed(list(enumerate(FLOORS))):
        for place in filter(Path.exists, map(home, floor)):
            name = f"{place.name}/" if place.is_dir() else place.name
            rows.append(f"| {level or 'ground'} | `{name}` | {first_line(place)} |")
    return "\n".join(rows) + "\n"


def redrawn(text: str) -> str:
    """A page with the table between its marks drawn anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + "\n" + drawing() + "\n" + END + after


if __name__ == "__main__":
    page = ROOT / "CONTRIBUTING.md"
    page.write_text(redrawn(page.read_text("utf-8")), encoding="utf-8")
