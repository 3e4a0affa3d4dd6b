"""``python -m corollary.testing.changed``: examine the networks that a commit changes.

Words that begin with a dash are options of ``corollary examine``, written with an equals sign
(``--data=digits``); the others are changed files, as pre-commit hands them over. A target
(``--target=net.py:build``, may be repeated) is examined if its file, or a file that it imports
directly or indirectly, is among the changed files. Without targets, every changed file with a
function ``build`` is a target. The exit code is the largest exit code of the examinations.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

TARGET = "--target="


def main(words: Sequence[str]) -> int:
    """Examine the targets that the changed files among ``words`` belong to."""
    files = {Path(word).resolve() for word in words if not word.startswith("-")}
    targets = [word.removeprefix(TARGET) for word in words if word.startswith(TARGET)]
    options = [word for word in words if word.startswith("-") and not word.startswith(TARGET)]
    codes = [0]
    for target in changed_targets(targets, files):
        print(f"corollary examine {target}", flush=True)
        command = [sys.executable, "-P", "-m", "corollary", "examine", target, *options]
        codes.append(subprocess.run(command).returncode)
    return max(codes)


def changed_targets(targets: Sequence[str], files: set[Path]) -> list[str]:
    """The targets that depend on a changed file; by default, each ``build`` of a changed file."""
    if targets:
        return [t for t in targets if _read_by(_file_of(t.rpartition(":")[0])) & files]
    known = (f for f in sorted(files) if f.suffix == ".py" and f.is_file())
    return [f"{_shown(f)}:build" for f in known if "build" in _functions(_tree(f))]


def _shown(path: Path) -> str:
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def _file_of(place: str) -> Path | None:
    return Path(place).resolve() if place.endswith(".py") else _found(place, _roots())


def _read_by(start: Path | None) -> set[Path]:
    """A file and the files of the repository that it imports, directly or indirectly."""
    seen: set[Path] = set()
    ahead = [start]
    while ahead:
        path = ahead.pop()
        if path is not None and path not in seen and path.is_file():
            seen.add(path)
            ahead += _imported(path)
    return seen


def _imported(path: Path) -> Iterator[Path | None]:
    """The files of the modules that a file imports."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield _found(alias.name, (path.parent, *_roots()))
        elif isinstance(node, ast.ImportFrom):
            roots = (path.parents[node.level - 1],) if node.level else (path.parent, *_roots())
            base = node.module or ""
            for name in (base, *(f"{base}.{alias.name}" for alias in node.names)):
                yield _found(name.strip("."), roots)


def _roots() -> tuple[Path, ...]:
    return Path.cwd(), Path.cwd() / "src"


def _found(name: str, roots: Sequence[Path]) -> Path | None:
    """The file of a module in one of the folders."""
    for root in roots:
        at = root.joinpath(*name.split("."))
        for path in (at.with_name(f"{at.name}.py"), at / "__init__.py"):
            if path.is_file():
                return path.resolve()
    return None


def _functions(tree: ast.Module) -> set[str]:
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def _tree(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
