"""Fields of all docstrings of the package, read as text."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from corollary.registry import ROOT, slugs

_FIELD = re.compile(r"^([ \t]*):([\w-]+):(?=\s)[ \t]*(.*(?:\n\1[ \t]+\S.*)*)", re.M)
_TAG = re.compile(
    r"\[(wrong|missing hypothesis|loose|code bug|typo|notation|possible OCR artefact)\]"
)
_NOTES = ("Perez Jensen (2025)", "Lucchi (2025)", "Lucchi (2024)", "Mathematical Foundations")
_TITLE = re.compile(r", (?:Foundations of )?Deep Learning(?=[ ,.]|$)")


@dataclass(frozen=True)
class Field:
    """One field of a docstring, with the object that carries it."""

    name: str
    text: str  # white space folded
    module: str
    object: str  # empty for a whole module


@dataclass(frozen=True)
class Erratum:
    """One correction: its tag, its text, and the object that states or shows it."""

    tag: str
    text: str
    module: str
    object: str
    covers: tuple[str, ...] = ()  # the results it is about
    where: str = ""  # the places of the notes that its object names


def modules(root: Path = ROOT) -> Iterator[tuple[str, Path]]:
    """All modules of the package by dotted name, packages included."""
    for path in sorted(root.rglob("*.py")):
        dotted = ".".join((root.name, *path.relative_to(root).with_suffix("").parts))
        yield dotted.removesuffix(".__init__"), path


def fields(name: str, root: Path = ROOT) -> Iterator[Field]:
    """Every field called ``name`` in a docstring of the package."""
    for module, path in modules(root):
        text = path.read_text(encoding="utf-8")
        if f":{name}:" in text:
            for owner, docstring in _docstrings(ast.parse(text)):
                for match in _FIELD.finditer(docstring):
                    if match.group(2) == name:
                        yield Field(name, " ".join(match.group(3).split()), module, owner)


def errata(root: Path = ROOT) -> Iterator[Erratum]:
    """Every erratum; a field with several tags gives one for each."""
    covers, sources = list(fields("covers", root)), list(fields("source", root))
    for field in fields("erratum", root):
        about = tuple(slug for c in _nearest(covers, field) for slug in slugs(c.text))
        where = "; ".join(p for s in _nearest(sources, field) for p in places_of_notes(s.text))
        for tag, text in tagged(field.text):
            yield Erratum(tag, text, field.module, field.object, about, where)


def places_of_notes(source: str) -> list[str]:
    """The parts of a source that are places of the notes, without titles.

    Example:
        >>> places_of_notes("Lucchi (2025), Foundations of Deep Learning, Lemma 61; Sauer (1972).")
        ['Lucchi (2025), Lemma 61']
    """
    parts = [part.strip().rstrip(".") for part in source.split(";")]
    return [_TITLE.sub("", part) for part in parts if part.startswith(_NOTES)]


def _nearest(found: list[Field], field: Field) -> list[Field]:
    """The fields of the same object, else all of its module."""
    mine = [other for other in found if other.module == field.module]
    return [other for other in mine if other.object == field.object] or mine


def tagged(text: str) -> Iterator[tuple[str, str]]:
    """The parts of an erratum with their tags.

    Example:
        >>> list(tagged("[wrong] It drops. [notation] It says s."))
        [('wrong', 'It drops.'), ('notation', 'It says s.')]
        >>> list(tagged("No tag."))
        [('loose', 'No tag.')]
    """
    _, *parts = _TAG.split(text)
    if not parts:
        yield "loose", text
    for tag, part in zip(parts[::2], parts[1::2], strict=True):
        yield tag, part.strip()


def docstring(path: Path) -> str:
    """The docstring of a file."""
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def imported(path: Path) -> dict[str, tuple[str, str]]:
    """Names that a file takes from other modules of the package: home and name there.

    An assignment after the imports, as in ``infinite = from_module``, gives a name a short form.
    """
    found: dict[str, tuple[str, str]] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("corollary."):
            found |= {alias.name: (str(node.module), alias.name) for alias in node.names}
        elif isinstance(node, ast.Assign) and ast.unparse(node.value) in found:
            found[ast.unparse(node.targets[0])] = found.pop(ast.unparse(node.value))
    return found


def described(module: str, name: str) -> tuple[str, str]:
    """Where a name is defined, and the first line of its docstring; facades are seen through."""
    path = ROOT.joinpath(*module.split(".")[1:])
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    body = ast.parse(path.read_text(encoding="utf-8")).body
    for node in reversed(body):  # overloads come before what they stand for
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return f"{module}.{name}", (ast.get_docstring(node) or "").partition("\n")[0]
    stub = path.with_suffix(".pyi")
    return described(*imported(stub if stub.exists() else path)[name])


def _docstrings(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(tree, ast.Module):
        yield "", ast.get_docstring(tree) or ""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield prefix + node.name, ast.get_docstring(node) or ""
            yield from _docstrings(node, f"{prefix}{node.name}.")
