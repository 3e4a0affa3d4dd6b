"""The reference of the API: one page a module, made by autodoc."""

from collections.abc import Iterator
from pathlib import Path

from corollary.registry import ROOT
from corollary_docs import rst
from corollary_docs.scan import described, docstring, imported, modules

ROOMS = {
    "core": "Claims, exams and results",
    "theory": "Theory",
    "data": "Data",
    "models": "Models",
    "train": "Training",
    "run": "Running claims",
    "examine": "Examining networks",
    "report": "Reports",
    "testing": "Testing networks",
}
ABOUT = {  # what one looks for in a room
    "core": "claims, hypotheses, relations, verdicts, results, figures, exams and findings",
    "theory": "the mathematics as functions on tensors: kernels, curvature, regions, attacks, "
    "certificates, bounds",
    "data": "distributions and small data sets, drawn from a seed; loaders of real data sets",
    "models": "the architectures of the notes as modules, one file each",
    "train": "a training loop with callbacks, losses, checkpoints, and PAC-Bayes certificates",
    "run": "``check``, its results, the results file, journals and time limits",
    "examine": "``examine``, the preparation of a network and its data, and the examination",
    "report": "results as text, SVG, HTML, and figures for papers",
    "testing": "``assert_sound``, the pytest plugin, and the pre-commit hook",
}
DOORS = ("kernels", "curvature", "generalization", "robustness", "regions", "spectra")
SINGLE = ("registry", "suites", "errors")


def api_pages(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Names (below ``api/``) and texts of the reference pages."""
    found = {name: path for name, path in modules(root) if _documented(name, path)}
    rooms = [room for room in ROOMS if f"corollary.{room}" in found]
    for name, path in found.items():
        yield name, module_page(name, _children(name, found), path.name == "__init__.py")
    for door in DOORS:
        yield f"corollary.{door}", door_page(door)
    single = [f"corollary.{name}" for name in SINGLE if f"corollary.{name}" in found]
    doors = [f"corollary.{door}" for door in DOORS]
    yield "index", index_page(doors, [f"corollary.{room}" for room in rooms], single)


def door_page(door: str) -> str:
    """The names behind a door, each with its first sentence and a link to where it is described."""
    names = imported(ROOT / f"{door}.pyi")
    rows = [_name(name, *described(*home)) for name, home in sorted(names.items())]
    table = rst.table(["name", "what it is"], rows, "30 70")
    body = rst.directive("automodule", f"corollary.{door}")
    return "\n".join([rst.heading(f"corollary.{door}"), body, table])


def _name(name: str, home: str, about: str) -> list[str]:
    return [f":py:obj:`{name} <{home}>`", rst.prose(about)]


def index_page(doors: list[str], rooms: list[str], single: list[str]) -> str:
    """The doors, then the rooms of the package, lowest first."""
    intro = (
        "This page lists the public functions and classes. The most common "
        "names\n(``check``, ``examine``, ``claim``, ``find``, ``entries``, ``Claim``, "
        "``Figure``,\n``Result``, ``Verdict``) are attributes of ``corollary`` itself. So are the "
        "modules\nat the top of the table.\n"
    )
    every = [*doors, *rooms, *single]
    rows = [_row(name) for name in every]
    table = rst.table(["module", "what is in it"], rows, "26 74")
    tree = rst.toctree(every, hidden=True)
    return "\n".join([rst.heading("API reference"), intro, table, tree])


def _row(name: str) -> list[str]:
    """A link and a sentence."""
    short = name.removeprefix("corollary.")
    path = ROOT / f"{short}.py"
    about = ABOUT.get(short) or docstring(path).partition("\n")[0]
    about = about[:1].upper() + about[1:].rstrip(".") + "."
    return [f":doc:`{ROOMS.get(short, short)} <{name}>`", rst.prose(about)]


def module_page(name: str, children: list[str], is_package: bool) -> str:
    """A module with its members; a package shows its docstring and its modules only."""
    room = ROOMS.get(name.removeprefix("corollary."))
    title = room or rst.escaped(name.removeprefix("corollary."))
    options: dict[str, object] = {} if is_package else {"members": True}
    body = rst.directive("automodule", name, **options)
    tree = [f"{child.removeprefix(f'{name}.')} <{child}>" for child in children]
    return "\n".join([rst.heading(title), body, rst.toctree(tree) if tree else ""])


def _children(name: str, found: dict[str, Path]) -> list[str]:
    """The modules whose nearest documented package is ``name``."""
    return [m for m in found if _parent(m, found) == name]


def _parent(name: str, found: dict[str, Path]) -> str:
    parent = name.rpartition(".")[0]
    while parent and parent not in found:
        parent = parent.rpartition(".")[0]
    return parent


def _documented(name: str, path: Path) -> bool:
    parts = name.split(".")[1:]
    if not parts or any(part.startswith("_") for part in parts) or not docstring(path):
        return False
    return parts[0] in ROOMS or (len(parts) == 1 and parts[0] in SINGLE)
