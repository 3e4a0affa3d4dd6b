"""Where a layer is created: the file and the line of the user's code.

A layer that a class of the user assigns (``self.head = nn.Linear(...)``) has the line of the
assignment, an element of an ``nn.Sequential`` the line of its argument. If no line can be found,
the line of the target itself is given, ``def build`` for ``net.py:build``.
"""

import ast
import inspect
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from torch import nn

Place = tuple[str, int]  # file, relative to the working folder where it is inside; line
CONTAINERS = ("Sequential", "ModuleList")
INSTALLED = ("site-packages", "dist-packages")


def places_of(model: nn.Module, target: str, wheres: Iterable[str]) -> dict[str, Place]:
    """The place of each layer or parameter of ``wheres``; the empty name is the whole network.

    Returns nothing for a target that is not built by code, such as a file of weights.
    """
    file, _, name = target.rpartition(":")
    path = _file_of(file)
    if path is None:
        return {}
    made = _top_level(path, name.split(".")[0])
    whole = _relative(path), made.lineno if made else 1
    return {"": whole} | {
        where: _assigned_in_class(model, where) or _passed_in(made, model, where, path) or whole
        for where in wheres
        if where
    }


def _file_of(word: str) -> Path | None:
    """The file of ``net.py`` or ``package.module``, which has been imported."""
    if word.endswith(".py"):
        return Path(word)
    file = getattr(sys.modules.get(word), "__file__", None)
    return Path(file) if file else None


def _relative(path: Path) -> str:
    inside = path.resolve().is_relative_to(Path.cwd())
    return Path(os.path.relpath(path)).as_posix() if inside else path.resolve().as_posix()


@cache
def _tree(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _top_level(path: Path, name: str) -> ast.stmt | None:
    """The statement of a file that gives ``name`` its value."""
    for node in _tree(path).body:
        if getattr(node, "name", None) == name:
            return node
        if isinstance(node, ast.Assign | ast.AnnAssign) and name in _stored(node):
            return node
    return None


def _stored(node: ast.stmt) -> set[str]:
    names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return {n.id for n in names if isinstance(n.ctx, ast.Store)}


def _assigned_in_class(model: nn.Module, where: str) -> Place | None:
    """The line of ``self.name = ...`` in the innermost user class on the path to a layer."""
    parts, owners = where.split("."), [model]
    for part in parts:
        inner = owners[-1]._modules.get(part)
        if inner is None:
            break
        owners.append(inner)
    for depth in reversed(range(min(len(owners), len(parts)))):
        for path, tree in _own_classes(type(owners[depth])):
            value = _value_of_attribute(tree, parts[depth])
            if value is not None:
                return _relative(path), _element(value, parts[depth + 1 :]).lineno
    return None


def _own_classes(kind: type) -> Iterator[tuple[Path, ast.ClassDef]]:
    """The classes of the user among a class and its bases, as text."""
    for base in kind.__mro__:
        try:
            path = Path(inspect.getsourcefile(base) or "")
        except TypeError:  # built in
            continue
        if base.__module__.startswith(("torch.", "corollary.")) or set(INSTALLED) & set(path.parts):
            continue
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.ClassDef) and node.name == base.__name__:
                yield path, node


def _value_of_attribute(tree: ast.ClassDef, name: str) -> ast.expr | None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(t, ast.Attribute) and t.attr == name for t in targets):
                return node.value
    return None


def _passed_in(made: ast.stmt | None, model: nn.Module, where: str, path: Path) -> Place | None:
    """The line of an argument, where the network is written out as ``nn.Sequential(...)``.

    The call is recognised by the classes of its arguments: within the target, else anywhere in its
    file if there is only one such call.
    """
    kinds = [type(layer).__name__ for layer in model.children()]
    within = _calls_with(kinds, made) if made else []
    anywhere = _calls_with(kinds, _tree(path))
    for call in within[:1] or (anywhere if len(anywhere) == 1 else []):
        found = _element(call, where.split("."))
        return None if found is call else (_relative(path), found.lineno)
    return None


def _calls_with(kinds: list[str], tree: ast.AST) -> list[ast.Call]:
    """Calls of containers whose elements are made by calls of these classes."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in calls if kinds and [_called(e) for e in _elements(call)] == kinds]


def _element(value: ast.expr, parts: list[str]) -> ast.expr:
    """The innermost element of nested containers that a path leads to."""
    for part in parts:
        elements = _elements(value)
        if not part.isdigit() or int(part) >= len(elements):
            break
        value = elements[int(part)]
    return value


def _elements(value: ast.expr) -> list[ast.expr]:
    """The arguments of ``nn.Sequential(a, b)`` or ``nn.ModuleList([a, b])``; else nothing."""
    if not isinstance(value, ast.Call) or _called(value) not in CONTAINERS:
        return []
    first = value.args[0] if len(value.args) == 1 else None
    elements = first.elts if isinstance(first, ast.List | ast.Tuple) else value.args
    return [] if any(isinstance(e, ast.Starred) for e in elements) else elements


def _called(value: ast.expr) -> str:
    """The last part of the name of the called function: ``Linear`` of ``nn.Linear(2, 1)``."""
    if not isinstance(value, ast.Call):
        return ""
    return value.func.attr if isinstance(value.func, ast.Attribute) else ast.unparse(value.func)
